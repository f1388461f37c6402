/** The tables of an assessment's report. */
import { classText } from "../../datasets/groups.ts";
import { fixed } from "../report/numbers.ts";
import type { Cell, Figure } from "../report/report.ts";
import type { Assessment } from "./assessment.ts";
import { regionScores, settingsText } from "./assessment_results.ts";
import type { MetricScore } from "./metric_score.ts";

/** The scores, those inside regions, those of classes, and the settings of the metrics. */
export function scoreTables(assessment: Assessment): Figure[] {
  return [
    scoreTable(assessment),
    ...regionTable(assessment),
    ...classTables(assessment),
    settingsTable(assessment),
  ];
}

/** The scores inside the profile's regions, where a metric measures there. */
function regionTable(assessment: Assessment): Figure[] {
  const scores = regionScores(assessment);
  if (scores.length === 0) return [];
  return [{
    kind: "table",
    caption: "Scores inside regions of the images: mean and greatest value, beside those of held-out images.",
    columns: ["metric", "region", "score", "greatest", "held-out", "held-out, greatest"],
    rows: scores.map(({ metric, region, score, range, heldOut }) => {
      return [metric, region, score, range[1], heldOut?.score ?? "n/a", heldOut?.range[1] ?? "n/a"];
    }),
  }];
}

function scoreTable({ scores, baseline }: Assessment): Figure {
  return {
    kind: "table",
    caption:
      "Scores with 95 % intervals and n, the number of values that they are the mean of; scores of classes are averaged. Held-out: the same metric on as many held-out images, for comparison. Least and greatest: of the n values.",
    columns: ["metric", "score", ...(baseline ? ["held-out"] : []), "least", "greatest", "meaning"],
    rows: scores.map((one, i) => [
      one.metric,
      scoreCell(one),
      ...(baseline ? [scoreCell(baseline[i])] : []),
      ...one.range,
      one.about,
    ]),
  };
}

/** A score with its interval, if its values carry one, and n below; n/a with the reason where there are too few images. */
function scoreCell({ score, interval, count, tooFew }: MetricScore): Cell {
  if (tooFew !== undefined) return { value: "n/a", note: tooFew };
  if (Number.isNaN(interval[0])) return { value: score, note: `n = ${count}, without an interval` };
  const size = Math.abs(score), decimals = size >= 100 ? 1 : size >= 10 ? 2 : 3; // as the page writes the score
  const [low, high] = interval.map((end) => fixed(end, decimals));
  return { value: score, note: `${low} to ${high}, n = ${count}` };
}

/** The most metrics with which a table is not wider than the page. */
const METRICS_IN_TABLE = 6;

function classTables({ scores, data: { classes } }: Assessment): Figure[] {
  const byClass = scores.filter(({ groups }) => groups.length > 1), tables: Figure[] = [];
  for (let first = 0; first < byClass.length; first += METRICS_IN_TABLE) {
    const some = byClass.slice(first, first + METRICS_IN_TABLE);
    tables.push({
      kind: "table",
      caption: "Scores of each class. n: values that the score of a class is the mean of.",
      columns: ["class", ...some.map(({ metric }) => metric)],
      rows: some[0].groups.map(({ label }, g) => [
        label === undefined ? "all" : classText(classes, label),
        ...some.map(({ groups, results }): Cell => {
          const { tooFew } = results[g].result, { score, count } = groups[g];
          if (tooFew !== undefined || Number.isNaN(score)) return { value: "n/a", note: `n = ${count}` };
          return { value: score, note: `n = ${count}` };
        }),
      ]),
    });
  }
  return tables;
}

function settingsTable({ scores }: Assessment): Figure {
  return {
    kind: "table",
    caption: "The settings that the metrics depend on, and what limits them.",
    columns: ["metric", "settings", "remarks"],
    rows: scores.map(({ metric, settings, warnings }) => [
      metric,
      settingsText(settings),
      warnings.join(". ") || "none",
    ]),
  };
}
