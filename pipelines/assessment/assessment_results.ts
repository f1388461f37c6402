/** An assessment as JSON, as CSV and as a table of text. */
import { shapeText } from "../../core/shape.ts";
import { VERSION } from "../../core/version.ts";
import { classText } from "../../datasets/groups.ts";
import { counted } from "../../core/counted.ts";
import { csv } from "../report/csv.ts";
import { significant } from "../report/numbers.ts";
import { textTable } from "../report/text_table.ts";
import type { Assessment } from "./assessment.ts";
import type { MetricScore } from "./metric_score.ts";
import { valuesByImage } from "./values_by_image.ts";

/** Describes an assessment as plain data: the content of scores.json. `command` is the command that made it. */
export function assessmentRecord(assessment: Assessment, command: string): object {
  const { plan, data, path, set, classified, scores, baseline, seconds } = assessment;
  return {
    patchloom: VERSION,
    command,
    profile: plan.profile.name,
    images: { path, count: set.images.count, measured: shapeText(plan.sizes[0]), scaled: set.scaled, files: set.files },
    data: { name: data.name, origin: data.origin, files: data.files, classes: data.classes },
    labels: set.labels ? classified === undefined ? "given" : { classifiedWithAccuracy: classified } : "none",
    scores: scores.map((one, i) => ({ ...scoreRecord(one), heldOut: baseline && scoreRecord(baseline[i]) })),
    regions: regionScores(assessment),
    seconds,
  };
}

/** The score of a metric inside a region of the images. */
interface RegionScore {
  readonly metric: string;
  readonly region: string;
  /** Mean of all images, the least and the greatest value. */
  readonly score: number;
  readonly range: readonly [least: number, greatest: number];
  /** The same of the held-out images. */
  readonly heldOut?: { readonly score: number; readonly range: readonly [least: number, greatest: number] };
}

/** The scores inside the profile's regions, of all metrics that measure there. */
export function regionScores({ plan, scores, baseline }: Assessment): RegionScore[] {
  return scores.flatMap(({ metric, results }, i) => {
    return (plan.regions ?? []).flatMap(({ name: region }) => {
      const assessed = inRegion(results, region);
      const heldOut = baseline && inRegion(baseline[i].results, region);
      return assessed ? [{ metric, region, ...assessed, heldOut }] : [];
    });
  });
}

/** Mean, least and greatest of a series of all classes; undefined where no value is known. */
function inRegion(results: MetricScore["results"], region: string) {
  const values = results.flatMap(({ result: { series } }) => [...series[region] ?? []]);
  const known = values.filter((value) => !Number.isNaN(value));
  if (known.length === 0) return undefined;
  const range = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))] as const;
  return { score: known.reduce((a, b) => a + b) / known.length, range };
}

function scoreRecord(
  { metric, score, interval, range, pooled, count, groups, settings, warnings, tooFew }: MetricScore,
) {
  return { metric, score, interval, range, ofAllImages: pooled, count, byClass: groups, settings, warnings, tooFew };
}

/** Writes one row per image: its number, its file, its class, and the values and series of every metric that has them for images. */
export function imagesCsv({ set, scores, data: { train, classes } }: Assessment): string {
  const columns = valuesByImage(scores, set.images.count, train);
  const file = (i: number) => typeof set.names === "string" ? set.names : set.names[i];
  return csv({
    columns: ["image", "file", ...(set.labels ? ["class"] : []), ...columns.map(({ name }) => name)],
    rows: Array.from({ length: set.images.count }, (_, i) => [
      i,
      file(i),
      ...(set.labels ? [classes ? classText(classes, set.labels[i]) : set.labels[i]] : []),
      ...columns.map(({ values }) => values[i]),
    ]),
  });
}

/** Writes the scores as a table of text, with a line of scores by class for each metric that has classes. */
export function assessmentTable(assessment: Assessment): string[] {
  const { scores, baseline, seconds, set, data: { classes } } = assessment;
  const head = ["metric", "score", "95 % interval", "n", "held-out", "least .. greatest", "of all images", "settings"];
  const rows = scores.map((one, i) => [
    one.metric,
    scoreText(one),
    endsText(one.interval),
    String(one.count),
    baseline ? heldOutText(baseline[i]) : "-",
    endsText(one.range),
    one.tooFew === undefined ? significant(one.pooled) : "n/a",
    settingsText(one.settings),
  ]);
  for (const { metric, region, score, range, heldOut } of regionScores(assessment)) {
    const others = heldOut ? significant(heldOut.score) : "-";
    rows.push([`${metric}, ${region}`, significant(score), "-", "", others, endsText(range), significant(score), ""]);
  }
  const byClass = scores.filter(({ groups }) => groups.length > 1).map(({ metric, groups }) =>
    `${metric} by class: ${
      groups.map(({ label, score }) =>
        `${label === undefined ? label : classText(classes, label)}: ${significant(score)}`
      )
        .join("  ")
    }`
  );
  return [
    ...textTable(head, rows, head.length),
    "",
    ...byClass,
    `${counted(set.images.count, "image")} in ${seconds.toFixed(1)} s`,
  ];
}

/** Writes the score of held-out images, with half the width of its 95 % interval: they are as few as the assessed ones. */
function heldOutText(score: MetricScore): string {
  const [low, high] = score.interval, text = scoreText(score);
  return score.tooFew === undefined && low < high ? `${text} ±${significant((high - low) / 2)}` : text;
}

/** Writes a score; n/a where there are too few images for one, as in the report. */
function scoreText({ score, tooFew }: MetricScore): string {
  return tooFew === undefined ? significant(score) : "n/a";
}

function endsText([low, high]: readonly [number, number]): string {
  return Number.isNaN(low) ? "-" : `${significant(low)} .. ${significant(high)}`;
}

/** Writes the settings of a metric in one line. */
export function settingsText(settings: MetricScore["settings"]): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${typeof value === "number" ? significant(value) : value}`)
    .join(", ");
}
