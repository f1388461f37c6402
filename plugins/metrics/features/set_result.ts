/** The result of a measure of a whole set: the same value for each image. */
import type { MetricInput, MetricResult } from "../../../core/metric.ts";
import { FEWEST } from "./features.ts";

/** A score of a set, and its standard error. */
export interface SetScore {
  readonly score: number;
  readonly standardError?: number;
}

/** Writes a score as the result of a metric; where there are too few images, a sentence says so. */
export function setResult(
  metric: string,
  { generated, training }: MetricInput,
  settings: MetricResult["settings"],
  counts: readonly number[],
  measure: () => SetScore,
): MetricResult {
  const isFew = Math.min(...counts) < FEWEST;
  const { score, standardError } = isFew ? { score: NaN } : measure();
  const values = new Float64Array(generated.count).fill(score);
  const few =
    `${generated.count} generated and ${training.count} training images are too few: ${metric} needs ${FEWEST}`;
  const tooFew = isFew ? few : Number.isNaN(score) ? `${metric} has no value for equal images` : undefined;
  return {
    values,
    of: "generated",
    series: {},
    settings,
    warnings: tooFew === undefined ? [] : [tooFew],
    ...standardError !== undefined && { standardError },
    ...tooFew !== undefined && { tooFew },
  };
}
