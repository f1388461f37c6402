/** Combines the results of a metric in all classes into one score with a bootstrap interval. */
import { philox, seedKey } from "../../core/random.ts";
import type { MetricResult } from "../../core/types.ts";

/** A metric's result for one class, or for all images together. */
export interface ClassResult {
  /** The class; undefined for all images together. */
  readonly label?: number;
  readonly result: MetricResult;
}

/** A score. Values that are NaN are left out. */
export interface Score {
  /** Mean of the means of the classes. */
  readonly score: number;
  /** Mean of all values of all classes. */
  readonly pooled: number;
  /** 95 % interval of `score`: by bootstrap, values being resampled within each class, or by the metric's own standard errors. */
  readonly interval: readonly [low: number, high: number];
  /** The least and the greatest of all values: a mean hides the one image that is a copy. */
  readonly range: readonly [least: number, greatest: number];
  /** Mean and number of the values of each class. */
  readonly groups: readonly { readonly label?: number; readonly score: number; readonly count: number }[];
  /** Number of values that are not NaN. */
  readonly count: number;
}

/** A score of fewer values than this is a guess. */
export const FEW = 30;
const RESAMPLES = 1000;
/** Half the width of a 95 % interval in standard errors, for a normal distribution. */
const NORMAL = 1.96;

/** Scores the results of one metric. The same `seed` gives the same interval. The score is NaN if there is no value. */
export function score(groups: readonly ClassResult[], seed = 1): Score {
  const values = groups.map(({ result }) => result.values.filter((value) => !Number.isNaN(value)));
  const scores = values.map(mean), filled = values.filter((group) => group.length > 0);
  const count = values.reduce((sum, group) => sum + group.length, 0);
  return {
    score: mean(filled.map(mean)),
    pooled: values.reduce((sum, group) => sum + group.reduce((a, b) => a + b, 0), 0) / count,
    interval: intervalOf(groups, filled, seed),
    range: rangeOf(filled),
    groups: groups.map(({ label }, g) => ({ label, score: scores[g], count: values[g].length })),
    count,
  };
}

function intervalOf(groups: readonly ClassResult[], filled: readonly Float64Array[], seed: number): [number, number] {
  const errors = groups.flatMap(({ result: { standardError } }) => standardError ?? []);
  if (errors.length === 0) return bootstrap(filled, seed);
  // The classes are independent. A mean lies between the least and the greatest of its values.
  const center = mean(filled.map(mean)), [least, greatest] = rangeOf(filled);
  const half = NORMAL * Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0)) / errors.length;
  return [Math.max(center - half, least), Math.min(center + half, greatest)];
}

function rangeOf(groups: readonly Float64Array[]): [number, number] {
  if (groups.length === 0) return [NaN, NaN];
  const least = groups.map((values) => values.reduce((a, b) => Math.min(a, b)));
  const greatest = groups.map((values) => values.reduce((a, b) => Math.max(a, b)));
  return [Math.min(...least), Math.max(...greatest)];
}

function bootstrap(groups: readonly Float64Array[], seed: number): [number, number] {
  if (groups.length === 0) return [NaN, NaN];
  const words = new Uint32Array(4), key = seedKey(seed), means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    groups.forEach((values, group) => {
      let sum = 0;
      for (let i = 0; i < values.length; i++) {
        if (i % 4 === 0) philox([resample, group, i >> 2, 0], key, words);
        sum += values[words[i % 4] % values.length];
      }
      means[resample] += sum / values.length;
    });
    // Divided at the end, because ten tenths do not sum to 1.
    means[resample] /= groups.length;
  }
  means.sort();
  return [means[Math.floor(RESAMPLES * 0.025)], means[Math.ceil(RESAMPLES * 0.975) - 1]];
}

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
