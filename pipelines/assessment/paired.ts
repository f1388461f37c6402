/** Compares the scores of two sets of images that were made from the same seed images: image by image. */
import type { MetricScore } from "./metric_score.ts";
import { score } from "./scores.ts";

/**
 * Returns the 95 % interval of the difference of two scores, `a` less `b`, by the differences of the images. It is narrower than the
 * two scores' own intervals suggest, because much of what sets images apart is in their seed images. NaN where there is none: for
 * metrics that compare whole sets, and for few images.
 */
export function pairedDifference(a: MetricScore, b: MetricScore): readonly [low: number, high: number] {
  const isOfSets = [...a.results, ...b.results].some(({ result }) => result.standardError !== undefined);
  if (isOfSets) return [NaN, NaN];
  return score(a.results.map(({ label, result }, group) => {
    const others = b.results[group].result.values;
    return { label, result: { ...result, values: result.values.map((value, i) => value - others[i]) } };
  })).interval;
}

/** Whether an interval of a difference leaves out 0: chance does not explain the difference. */
export function isDifference([low, high]: readonly [number, number]): boolean {
  return low > 0 || high < 0;
}
