/** `deno task compare`: compares priors, contexts and z-steps on the same seed images by the same metrics. */
import { join } from "@std/path";
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
import { MARKED } from "../../../pipelines/reproduction/score_columns.ts";
import { commandLine } from "../system/command_line.ts";
import { readFlagsOnly, sizeFlag } from "./flags/common_flags.ts";
import { experimentFlags, experimentFolder } from "./flags/experiment_flags.ts";
import { oneOf, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable } from "../system/stop_signals.ts";
import { openGivenExperiment, readExperiment } from "../experiments/read_experiment.ts";
import { openOutFolder } from "../folders/out_folder.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what to synthesize: digits, faces, colour-faces, objects, digits-paper, faces-paper, or a profile of your own",
  },
  ...sizeFlag,
  count: { value: "N", about: "images of each variant (100)" },
  prior: { value: "NAME", many: true, about: "a prior to compare; several times for more (all priors)" },
  data: { value: "PATH", about: "training and test images: IDX files, or a folder of pictures" },
  ...experimentFlags("compare"),
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "compare",
  about: "Compares priors, contexts and z-steps on the same seed images.",
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
  const read = await readExperiment("compare", given), { profile, plugins: { registry }, seed, threads, say } = read;
  const count = wholeNumber("count", given.count ?? "100", 1, 100_000);
  checkPriors(given.prior, registry);
  const variants = comparedVariants(profile, given.prior, registry);
  const folder = experimentFolder(given, "compare", profile);

  using opened = await openGivenExperiment(read, given, "test images");
  const { experiment, data: { origin, files }, only, signals } = opened;
  const images = seededImages(experiment, count, only);
  const planned = ["compare.json", "report.html", "sheet.png"], inputs = [read.path, opened.data];
  await using out = await openOutFolder(folder, { command: "compare", planned, force: given.force, inputs });
  say(`Data: ${origin}`);

  const comparison = await stoppable(signals, () => `${folder} is unchanged`, () => {
    return compareVariants(experiment, variants, images);
  });
  const { rows } = comparison;
  const findings = findingsOf(comparison), picture = comparisonSheet(experiment, comparison);
  const command = commandLine("deno task compare", args);
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
  print(given.json ? JSON.stringify(record, null, 2) : [...comparisonTable(rows), "", MARKED, ...findings].join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
  return 0;
}

function checkPriors(given: readonly string[], { plugins }: Registry): void {
  const priors = plugins.filter(({ kind }) => kind === "prior").map(({ name }) => name);
  for (const name of given) oneOf("prior", name, priors);
}
