/** Writes what `assess` found: scores.json, images.csv and, where asked for, report.html. */
import { join } from "@std/path";
import type { Assessment } from "./assessment.ts";
import { assessmentReport } from "./assessment_report.ts";
import { writeAtomically } from "./data_folder.ts";
import type { Measured } from "./measure.ts";
import type { Progress } from "./progress.ts";
import configuration from "../../deno.json" with { type: "json" };

/** Where and how to write. */
export interface Target {
  readonly folder: string;
  readonly report: boolean;
  /** The command that made it, for the report. */
  readonly command: string;
  readonly say: (text: string) => void;
  readonly bar: Progress;
}

/** Writes the files; returns what scores.json holds. Throws one sentence where the folder cannot be written. */
export async function writeAssessment(assessment: Assessment, target: Target): Promise<object> {
  const { folder, report, command, say } = target, encoder = new TextEncoder();
  const summary = summarize(assessment, command);
  try {
    await Deno.mkdir(folder, { recursive: true });
    await writeAtomically(join(folder, "scores.json"), encoder.encode(JSON.stringify(summary, null, 2) + "\n"));
    await writeAtomically(join(folder, "images.csv"), encoder.encode(imagesCsv(assessment)));
    if (report) {
      const html = await assessmentReport(assessment, command);
      await writeAtomically(join(folder, "report.html"), encoder.encode(html));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied)) throw error;
    throw new Error(`Cannot write to --out ${folder}: ${error.message}`, { cause: error });
  }
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

function scoreOf({ metric, score, interval, pooled, count, groups, settings, warnings }: Measured) {
  return { metric, score, interval, ofAllImages: pooled, count, byClass: groups, settings, warnings };
}

/** One row an image: its number, its class, and the value and series of every metric that has one for it. */
function imagesCsv({ set, measured }: Assessment): string {
  const columns = valuesByImage(measured, set.images.count);
  const head = ["image", ...(set.labels ? ["class"] : []), ...columns.map(({ name }) => name)];
  const rows = Array.from({ length: set.images.count }, (_, i) => [
    i,
    ...(set.labels ? [set.labels[i]] : []),
    ...columns.map(({ values }) => Number.isNaN(values[i]) ? "" : values[i]),
  ]);
  return [head, ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

/** The values of metrics that judge each generated image, by the image's number; NaN where one was not judged. */
export function valuesByImage(measured: readonly Measured[], count: number): { name: string; values: Float64Array }[] {
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
