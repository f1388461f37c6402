/** Compares priors, contexts and z-steps, or denoisers, on the same seed images by the same metrics. */
import { join } from "node:path";
import { profiles } from "../../../datasets/profiles/mod.ts";
import type { Registry } from "../../../core/registry.ts";
import { suggestion } from "../../../core/suggestion.ts";
import { toHtml } from "../../../pipelines/report/html.ts";
import {
  type ComparedDenoiser,
  comparedDenoisers,
  compareDenoisers,
} from "../../../pipelines/reproduction/compared_denoisers.ts";
import {
  type ComparedVariant,
  comparedVariants,
  compareVariants,
  type Comparison,
  findingsOf,
  type Measured,
  seededImages,
} from "../../../pipelines/reproduction/comparison.ts";
import {
  comparisonReport,
  comparisonSheet,
  comparisonTable,
} from "../../../pipelines/reproduction/comparison_report.ts";
import { MARKED } from "../../../pipelines/reproduction/score_columns.ts";
import { sayData } from "../data/find_data.ts";
import { print, printJson } from "../system/printable.ts";
import { RequestError } from "../system/request_error.ts";
import { stoppable } from "../system/stop_signals.ts";
import { type ExperimentRequest, openGivenExperiment, readExperiment } from "./read_experiment.ts";
import { kernelsSha256 } from "../system/kernels_file.ts";
import { resultsFolder, type ResultsRequest } from "./results.ts";
import { openOutFolder } from "../folders/out_folder.ts";

/** What is asked for. */
export interface ComparisonRequest extends ExperimentRequest, ResultsRequest {
  /** The priors to compare; none of them named: all. */
  readonly priors: readonly string[];
  /** The denoisers to compare, in place of priors; none of them named: priors. */
  readonly denoisers: readonly string[];
  /** How many images are made of each variant. */
  readonly count: number;
}

/** Measures variants of a profile on the same seed images, and writes a report. */
export async function compareProfile(request: ComparisonRequest): Promise<void> {
  const { priors, denoisers, count, command, force, json } = request, read = await readExperiment("compare", request);
  const { profile, plugins: { registry }, seed, threads, say } = read;
  checkNames("prior", priors, registry);
  checkNames("denoiser", denoisers, registry);
  const papers = profiles[profile.restoredAs ?? ""];
  const folder = resultsFolder(request, "compare", profile);

  using opened = await openGivenExperiment(read, request, "test images");
  const { experiment, data, only, signals } = opened, { origin, files } = data, used = experiment.plan.profile;
  const ofPriors = denoisers.length > 0 ? undefined : comparedVariants(used, priors, registry);
  const images = seededImages(experiment, count, only, ofPriors === undefined);
  const planned = ["compare.json", "report.html", "sheet.png"], inputs = [read.path, opened.data];
  await using out = await openOutFolder(folder, { command: "compare", planned, force, inputs, say });
  sayData(data, say);

  const compared = () => {
    if (ofPriors) return compareVariants(experiment, ofPriors, images);
    return compareDenoisers(experiment, comparedDenoisers(used, denoisers, registry, papers), images);
  };
  const comparison = await stoppable<Measured<ComparedVariant | ComparedDenoiser>>(
    signals,
    () => `${folder} is unchanged`,
    compared,
  );
  const { rows } = comparison;
  const findings = ofPriors ? findingsOf(comparison as Comparison) : [];
  const picture = comparisonSheet(experiment, comparison);
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
  const work = { profile: used, kernels: await kernelsSha256() };
  await out.finish({ work }, [
    ["compare.json", JSON.stringify(record, null, 2) + "\n"],
    ["report.html", toHtml(report)],
    ["sheet.png", picture],
  ]);
  if (json) printJson(record, 2);
  else print(...comparisonTable(rows), "", MARKED, ...findings);
  say(`Written: ${join(folder, "report.html")} and sheet.png, a row of images for each row of the table`);
}

function checkNames(kind: "prior" | "denoiser", given: readonly string[], { plugins }: Registry): void {
  const names = plugins.filter((plugin) => plugin.kind === kind).map(({ name }) => name);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new RequestError(`There is no ${kind} "${unknown}"${suggestion(unknown, names)}`);
}
