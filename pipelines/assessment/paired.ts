/** Compares the scores of two sets of images: image by image if they were made from the same seed images or noise. */
import type { MetricScore } from "./metric_score.ts";
import { score } from "./scores.ts";

/**
 * Returns the 95 % interval of the difference of two scores, `a` less `b`, by the differences of the images. It is narrower than the
 * two scores' own intervals suggest, because much of what sets images apart is in their seed images. NaN where there is none: for
 * metrics that compare whole sets, and for few images.
 */
export function pairedDifference(a: MetricScore, b: MetricScore): readonly [low: number, high: number] {
  if (isOfSets(a) || isOfSets(b)) return [NaN, NaN];
  return score(a.results.map(({ result, ...rest }, group) => {
    const others = b.results[group].result.values;
    return { ...rest, result: { ...result, values: result.values.map((value, i) => value - others[i]) } };
  })).interval;
}

/**
 * As `pairedDifference`, for images that were made independently of each other, such as from seed images and from noise: the squares of
 * the half widths of both intervals add up.
 */
export function independentDifference(a: MetricScore, b: MetricScore): readonly [low: number, high: number] {
  if (isOfSets(a) || isOfSets(b)) return [NaN, NaN];
  const halfOf = ({ interval: [low, high] }: MetricScore) => (high - low) / 2;
  const difference = a.score - b.score, half = Math.hypot(halfOf(a), halfOf(b));
  return [difference - half, difference + half];
}

/** Whether a score compares whole sets: then its parts are no values of images. */
function isOfSets({ results }: MetricScore): boolean {
  return results.some(({ result }) => result.standardError !== undefined);
}

/** Whether an interval of a difference leaves out 0: chance does not explain the difference. */
export function isDifference([low, high]: readonly [number, number]): boolean {
  return low > 0 || high < 0;
}
