/** Writes what `assess` found: scores.json, images.csv and, where asked for, report.html. */
import { join } from "@std/path";
import type { Assessment } from "./assessment.ts";
import { assessmentReport } from "./assessment_report.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { writeAtomically } from "../data/data_folder.ts";
import type { MetricScore } from "../workers/run_metrics.ts";
import type { Progress } from "../cli/progress.ts";
import configuration from "../../../deno.json" with { type: "json" };

/** Where and how to write. */
export interface Target {
  readonly folder: string;
  readonly report: boolean;
  /** The command that made it, for the report. */
  readonly command: string;
  readonly say: (text: string) => void;
  readonly bar: Progress;
}

/** Makes the folder and sees that it can be written, before hours of work are lost. Throws one sentence where it cannot. */
export async function openFolder(folder: string): Promise<void> {
  await writing(folder, Deno.mkdir(folder, { recursive: true }));
  await writing(folder, Deno.makeTempFile({ dir: folder }).then((file) => Deno.remove(file)));
}

function writing<T>(folder: string, work: Promise<T>): Promise<T> {
  return work.catch((cause) => {
    throw new Error(`Cannot write to --out ${folder}: ${cause.message}`, { cause });
  });
}

/** Writes the files; returns what scores.json holds. Throws one sentence where the folder cannot be written. */
export async function writeAssessment(assessment: Assessment, target: Target): Promise<object> {
  const { folder, report, command, say } = target, encoder = new TextEncoder();
  const summary = summarize(assessment, command);
  const files = [
    ["scores.json", JSON.stringify(summary, null, 2) + "\n"],
    ["images.csv", imagesCsv(assessment)],
    ...report ? [["report.html", await assessmentReport(assessment, command)]] : [],
  ];
  for (const [name, text] of files) await writing(folder, writeAtomically(join(folder, name), encoder.encode(text)));
  say(`Written: ${join(folder, report ? "report.html" : "scores.json")}`);
  return summary;
}

function summarize({ plan, data, path, set, classified, measured, baseline, seconds }: Assessment, command: string) {
  return {
    patchloom: configuration.version,
    command,
    profile: plan.profile.name,
    images: { path, count: set.images.count, scaled: set.scaled, files: set.files },
    data: { name: data.name, origin: data.origin, files: data.files },
    labels: set.labels ? classified === undefined ? "given" : { classifiedWithAccuracy: classified } : "none",
    scores: measured.map((one, i) => ({ ...scoreOf(one), heldOut: baseline && scoreOf(baseline[i]) })),
    seconds,
  };
}

function scoreOf({ metric, score, interval, pooled, count, groups, settings, warnings }: MetricScore) {
  return { metric, score, interval, ofAllImages: pooled, count, byClass: groups, settings, warnings };
}

/** One row an image: its number, its class, and the value and series of every metric that has one for it. */
function imagesCsv({ set, measured, data: { train } }: Assessment): string {
  const columns = valuesByImage(measured, set.images.count);
  // A metric knows training images by their numbers within the class; a reader of the file by those in the data.
  for (const { metric, results, images } of measured) {
    const nearest = columns.find(({ name }) => name === `${metric} nearest`)?.values;
    if (!nearest) continue;
    results.forEach(({ label }, group) => {
      const training = chosenBy(train.labels, label, train.images.count);
      for (const image of images[group]) nearest[image] = training[nearest[image]];
    });
  }
  const head = ["image", ...(set.labels ? ["class"] : []), ...columns.map(({ name }) => name)];
  const rows = Array.from({ length: set.images.count }, (_, i) => [
    i,
    ...(set.labels ? [set.labels[i]] : []),
    ...columns.map(({ values }) => Number.isNaN(values[i]) ? "" : values[i]),
  ]);
  return [head, ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** The values of metrics that judge each generated image, by the image's number; NaN where one was not judged. */
export function valuesByImage(
  measured: readonly MetricScore[],
  count: number,
): { name: string; values: Float64Array }[] {
  return measured.filter(({ results }) => results[0]?.result.of === "generated").flatMap(
    ({ metric, results, images }) => {
      const names = ["", ...Object.keys(results[0].result.series)];
      return names.map((series) => {
        const values = new Float64Array(count).fill(NaN);
        results.forEach(({ result }, group) => {
          const of = series ? result.series[series] : result.values;
          images[group].forEach((image, i) => values[image] = of[i]);
        });
        return { name: series ? `${metric} ${series}` : metric, values };
      });
    },
  );
}
