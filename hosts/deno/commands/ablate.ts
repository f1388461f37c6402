/** `deno task ablate`: switches the ideas of a profile off one at a time, and measures the difference. */
import { join } from "@std/path";
import { plan } from "../../../core/plan.ts";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import { comparisonSheet } from "../../../pipelines/reproduction/comparison_report.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
import { ablate, ablationReport, ablationTable } from "../../../pipelines/tuning/ablation.ts";
import { heldOutSeeds, holdOut } from "../../../pipelines/tuning/held_out.ts";
import { ideasOf } from "../../../pipelines/tuning/ideas.ts";
import {
  checkClass,
  forceFlag,
  pluginFlags,
  quietFlag,
  readClass,
  readFlagsOnly,
  readSeed,
  readThreads,
  sayer,
  threadsFlag,
} from "../cli/common_flags.ts";
import { asUsage, outFolder, UsageError, wholeNumber } from "../cli/flags.ts";
import { print } from "../cli/printable.ts";
import { stoppable, stopSignals } from "../cli/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { readProfile } from "../data/read_profile.ts";
import { openOutFolder } from "../output/out_folder.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: { value: "NAME|FILE", about: "whose ideas to switch off: digits, faces, or a profile of your own" },
  baseline: {
    value: "NAME|FILE",
    about: "the profile that ideas are reset to (digits-paper for MNIST, faces-paper for faces)",
  },
  count: { value: "N", about: "images of each variant (100)" },
  class: { value: "N", about: "one class only" },
  plugin: pluginFlags.plugin,
  seed: { value: "N", about: "random seed (1)" },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of pictures, or a pack; test images are left out",
  },
  out: { value: "DIR", about: "where the results go (out/ablate-PROFILE)" },
  ...threadsFlag("numbers"),
  ...forceFlag,
  json: { about: "print ablate.json to the standard output instead of the table" },
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "ablate",
  about: "Switches the ideas of a profile off one at a time, and measures what each contributes.",
  flags: FLAGS,
  examples: [
    "deno task ablate --profile faces --count 300",
    "deno task ablate --profile digits --class 2 --count 1000",
  ],
  run: ablateCommand,
} as const;

/** The baselines by data set. */
const BASELINES: Readonly<Record<string, string>> = { mnist: "digits-paper", faces: "faces-paper" };

/** Runs `ablate`; returns the exit code. */
export async function ablateCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const { profile, data: packed } = await readProfile("ablate", given.profile), say = sayer(given.quiet);
  const count = wholeNumber("count", given.count ?? "100", 1, 100_000);
  const seed = readSeed(given.seed), threads = readThreads(given.threads);
  const only = given.class === undefined ? undefined : readClass(given.class);
  const plugins = await openPlugins(given.plugin, false, say), { registry } = plugins;
  const { aligned, channels, sizes: [size] } = asUsage(() => plan(profile, registry));
  if (!aligned) {
    throw new UsageError(`Cannot use ablate with profile "${profile.name}": expected a profile of aligned images`);
  }
  const usual = Object.hasOwn(BASELINES, profile.dataset) ? BASELINES[profile.dataset] : undefined;
  if (given.baseline === undefined && usual === undefined) {
    throw new UsageError(`ablate needs --baseline for profile "${profile.name}": a name or a file`);
  }
  const baseline = given.baseline === undefined
    ? profiles[usual!]
    : (await readProfile("ablate", given.baseline)).profile;
  if (asUsage(() => ideasOf(profile, baseline, registry)).length === 0) {
    throw new UsageError(
      `Profile "${profile.name}" has no idea to switch off: it synthesizes as "${baseline.name}" does`,
    );
  }
  const folder = given.out ?? outFolder("ablate", profile.name, "ablate-");

  const data = holdOut(await findData(profile.dataset, given.data ?? packed, undefined, { channels, size }));
  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const experiment = await openExperiment(runner, profile, data, seed);
  checkClass(only, experiment.labels, data.name);
  const images = heldOutSeeds(experiment, count, only);
  const planned = ["ablate.json", "report.html", "sheet.png"];
  await using out = await openOutFolder(folder, { command: "ablate", planned, force: given.force });
  say(`Data: ${data.origin}`);

  const ablation = await stoppable(signals, () => `${folder} is unchanged`, () => {
    return ablate(experiment, baseline, images);
  });
  const { rows } = ablation;
  const picture = comparisonSheet(experiment, ablation), command = `deno task ablate ${args.join(" ")}`;
  const { origin, files } = data;
  const record = { command, profile: profile.name, baseline: baseline.name, seed, images: count, origin, files, rows };
  await out.finish({}, [
    ["ablate.json", JSON.stringify(record, null, 2) + "\n"],
    ["report.html", toHtml(ablationReport(experiment, ablation, { picture, command, images: count }))],
    ["sheet.png", picture],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : ablationTable(rows).join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
  return 0;
}
