/** Compares priors, contexts and z-steps on the same seed images by the same metrics. */
import { join } from "node:path";
import type { Registry } from "../../../core/registry.ts";
import { suggestion } from "../../../core/suggestion.ts";
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
import { print } from "../system/printable.ts";
import { RequestError } from "../system/request_error.ts";
import { stoppable } from "../system/stop_signals.ts";
import { type ExperimentRequest, openGivenExperiment, readExperiment } from "./read_experiment.ts";
import { resultsFolder, type ResultsRequest } from "./results.ts";
import { openOutFolder } from "../folders/out_folder.ts";

/** What is asked for. */
export interface ComparisonRequest extends ExperimentRequest, ResultsRequest {
  /** The priors to compare; none of them named: all. */
  readonly priors: readonly string[];
  /** How many images are made of each variant. */
  readonly count: number;
}

/** Measures variants of a profile on the same seed images, and writes a report. */
export async function compareProfile(request: ComparisonRequest): Promise<void> {
  const { priors, count, command, force, json } = request, read = await readExperiment("compare", request);
  const { profile, plugins: { registry }, seed, threads, say } = read;
  checkPriors(priors, registry);
  const variants = comparedVariants(profile, priors, registry);
  const folder = resultsFolder(request, "compare", profile);

  using opened = await openGivenExperiment(read, request, "test images");
  const { experiment, data: { origin, files }, only, signals } = opened;
  const images = seededImages(experiment, count, only);
  const planned = ["compare.json", "report.html", "sheet.png"], inputs = [read.path, opened.data];
  await using out = await openOutFolder(folder, { command: "compare", planned, force, inputs });
  say(`Data: ${origin}`);

  const comparison = await stoppable(signals, () => `${folder} is unchanged`, () => {
    return compareVariants(experiment, variants, images);
  });
  const { rows } = comparison;
  const findings = findingsOf(comparison), picture = comparisonSheet(experiment, comparison);
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
  print(json ? JSON.stringify(record, null, 2) : [...comparisonTable(rows), "", MARKED, ...findings].join("\n"));
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
}

function checkPriors(given: readonly string[], { plugins }: Registry): void {
  const priors = plugins.filter(({ kind }) => kind === "prior").map(({ name }) => name);
  const unknown = given.find((name) => !priors.includes(name));
  if (unknown !== undefined) throw new RequestError(`There is no prior "${unknown}"${suggestion(unknown, priors)}`);
}
