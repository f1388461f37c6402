/** `deno task ablate`: switches the ideas of a profile off one at a time, and measures the difference. */
import { join } from "@std/path";
import { profiles } from "../../../datasets/profiles/mod.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import { comparisonSheet } from "../../../pipelines/reproduction/comparison_report.ts";
import { ablate, ablationReport, ablationTable } from "../../../pipelines/tuning/ablation.ts";
import { heldOutSeeds } from "../../../pipelines/tuning/held_out.ts";
import { ideasOf } from "../../../pipelines/tuning/ideas.ts";
import { MARKED } from "../../../pipelines/reproduction/score_columns.ts";
import { commandLine } from "../system/command_line.ts";
import { readFlagsOnly } from "./flags/common_flags.ts";
import { experimentFlags, experimentFolder, heldOutData } from "./flags/experiment_flags.ts";
import { asUsage, UsageError, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable } from "../system/stop_signals.ts";
import { openGivenExperiment, readExperiment } from "../experiments/read_experiment.ts";
import { readProfile } from "../data/read_profile.ts";
import { openOutFolder } from "../folders/out_folder.ts";

const FLAGS = {
  profile: { value: "NAME|FILE", about: "whose ideas to switch off: digits, faces, or a profile of your own" },
  baseline: {
    value: "NAME|FILE",
    about: "the profile that ideas are reset to (digits-paper for MNIST, faces-paper for faces)",
  },
  count: { value: "N", about: "images of each variant (100)" },
  data: heldOutData,
  ...experimentFlags("ablate"),
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
  const read = await readExperiment("ablate", given), { profile, plugins: { registry }, seed, say } = read;
  const count = wholeNumber("count", given.count ?? "100", 1, 100_000);
  const usual = Object.hasOwn(BASELINES, profile.dataset) ? BASELINES[profile.dataset] : undefined;
  if (given.baseline === undefined && usual === undefined) {
    throw new UsageError(`ablate needs --baseline for profile "${profile.name}": a name or a file`);
  }
  const { profile: baseline, path } = given.baseline === undefined
    ? { profile: profiles[usual!] }
    : await readProfile("ablate", given.baseline, "baseline");
  if (asUsage(() => ideasOf(profile, baseline, registry)).length === 0) {
    throw new UsageError(
      `Profile "${profile.name}" has no idea to switch off: it synthesizes as "${baseline.name}" does`,
    );
  }
  const folder = experimentFolder(given, "ablate", profile);

  using opened = await openGivenExperiment(read, given, "held-out images");
  const { experiment, data, only, signals } = opened;
  const images = heldOutSeeds(experiment, count, only);
  const planned = ["ablate.json", "report.html", "sheet.png"], inputs = [read.path, path, data];
  await using out = await openOutFolder(folder, { command: "ablate", planned, force: given.force, inputs });
  say(`Data: ${data.origin}`);

  const ablation = await stoppable(signals, () => `${folder} is unchanged`, () => {
    return ablate(experiment, baseline, images);
  });
  const { rows } = ablation;
  const picture = comparisonSheet(experiment, ablation), command = commandLine("deno task ablate", args);
  const { origin, files } = data;
  const record = { command, profile: profile.name, baseline: baseline.name, seed, images: count, origin, files, rows };
  await out.finish({}, [
    ["ablate.json", JSON.stringify(record, null, 2) + "\n"],
    ["report.html", toHtml(ablationReport(experiment, ablation, { picture, command, images: count }))],
    ["sheet.png", picture],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : [...ablationTable(rows), "", MARKED].join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
  return 0;
}
