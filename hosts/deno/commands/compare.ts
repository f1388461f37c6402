/** `deno task compare`: compares every prior, context and z-step on the same seed images by the same metrics. */
import { join } from "@std/path";
import { suggestion } from "../../../core/options.ts";
import { plan } from "../../../core/plan.ts";
import type { Registry } from "../../../core/registry.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import {
  comparedVariants,
  compareVariants,
  findingsOf,
  seededImages,
} from "../../../pipelines/reproduction/comparison.ts";
import {
  comparisonReport,
  comparisonSheet,
  comparisonTable,
} from "../../../pipelines/reproduction/comparison_report.ts";
import { openExperiment } from "../../../pipelines/reproduction/experiment.ts";
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
  sizeFlag,
  threadsFlag,
} from "../cli/common_flags.ts";
import { asUsage, outFolder, UsageError, wholeNumber } from "../cli/flags.ts";
import { print } from "../cli/printable.ts";
import { stoppable, stopSignals } from "../cli/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { readProfile, sizedProfile } from "../data/read_profile.ts";
import { openOutFolder } from "../output/out_folder.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about: "what to synthesize: digits, faces, colour-faces, digits-paper, faces-paper, or a profile of your own",
  },
  ...sizeFlag,
  count: { value: "N", about: "images of each variant (100)" },
  class: { value: "N", about: "one class only" },
  prior: { value: "NAME", many: true, about: "a prior to compare; several times for more (all priors)" },
  plugin: pluginFlags.plugin,
  seed: { value: "N", about: "random seed (1)" },
  data: { value: "PATH", about: "training and test images: IDX files, or a folder of pictures" },
  out: { value: "DIR", about: "where the results go (out/compare-PROFILE)" },
  ...threadsFlag("numbers"),
  ...forceFlag,
  json: { about: "print compare.json to the standard output instead of the table" },
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "compare",
  about: "Compares every prior, context and z-step on the same seed images.",
  flags: FLAGS,
  examples: [
    "deno task compare --profile digits --class 3",
    "deno task compare --profile digits --count 500 --prior local-nn --prior spatially-invariant",
  ],
  run: compareCommand,
} as const;

/** Runs `compare`; returns the exit code. */
export async function compareCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const { profile: own, data: packed } = await readProfile("compare", given.profile), say = sayer(given.quiet);
  const count = wholeNumber("count", given.count ?? "100", 1, 100_000);
  const seed = readSeed(given.seed), threads = readThreads(given.threads);
  const plugins = await openPlugins(given.plugin, false, say), { registry } = plugins;
  const profile = sizedProfile(own, given.size, registry);
  const { aligned, channels, sizes: [size] } = asUsage(() => plan(profile, registry));
  if (!aligned) {
    throw new UsageError(`Cannot compare with profile "${profile.name}": expected a profile of aligned images`);
  }
  checkPriors(given.prior, registry);
  const variants = comparedVariants(profile, given.prior, registry);
  const folder = given.out ?? outFolder("compare", profile.name, "compare-");

  const data = await findData(profile.dataset, given.data ?? packed, undefined, { channels, size });
  const { origin, files } = data;
  const only = given.class === undefined ? undefined : readClass(given.class, data.classes);
  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const experiment = await openExperiment(runner, profile, data, seed);
  checkClass(only, experiment.labels, data.name);
  const images = seededImages(experiment, count, only);
  const planned = ["compare.json", "report.html", "sheet.png"];
  await using out = await openOutFolder(folder, { command: "compare", planned, force: given.force });
  say(`Data: ${origin}`);

  const comparison = await stoppable(signals, () => `${folder} is unchanged`, () => {
    return compareVariants(experiment, variants, images);
  });
  const { rows } = comparison;
  const findings = findingsOf(rows), picture = comparisonSheet(experiment, comparison);
  const command = `deno task compare ${args.join(" ")}`;
  const record = {
    command,
    profile: profile.name,
    seed,
    threads,
    images: images.length,
    origin,
    files,
    rows,
    findings,
  };
  const report = comparisonReport(experiment, comparison, { findings, picture, command, images: images.length });
  await out.finish({}, [
    ["compare.json", JSON.stringify(record, null, 2) + "\n"],
    ["report.html", toHtml(report)],
    ["sheet.png", picture],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : [...comparisonTable(rows), "", ...findings].join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
  return 0;
}

function checkPriors(given: readonly string[], { plugins }: Registry): void {
  const priors = plugins.filter(({ kind }) => kind === "prior").map(({ name }) => name);
  const unknown = given.find((name) => !priors.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is no prior "${unknown}"${suggestion(unknown, priors)}`);
}
