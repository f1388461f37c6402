/** Combines the results of a metric in all classes into one score with its interval. */
import { mean, variance } from "../../core/numbers.ts";
import type { MetricResult } from "../../core/metric.ts";
import { studentPoint } from "../report/intervals.ts";

/** A metric's result for one class, or for all images together. */
export interface ClassResult {
  /** The class; undefined for all images together. */
  readonly label?: number;
  readonly result: MetricResult;
  /**
   * The seed image of the image of each value, by any number that is its own; NaN where it is not known. Undefined: each image has one
   * of its own.
   */
  readonly seedImages?: Float64Array;
}

/** A score. Values that are NaN are left out. */
export interface Score {
  /** Mean of the means of the classes. */
  readonly score: number;
  /** Mean of all values of all classes. */
  readonly pooled: number;
  /** 95 % interval of `score`, see `intervalOf`; NaN where the values do not carry one. */
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
/** Half the width of a 95 % interval in standard errors, for a normal distribution. */
const NORMAL = 1.96;
/** The fewest values, beyond one in each class, by which the variance within classes is estimated. */
const MIN_DEGREES = 10;
/** The fewest values of a class, in the mean of the classes, by which variances of their own are estimated. */
const MIN_OF_CLASS = 5;
/** Fewer independent values have no interval: that of two is 13 standard errors wide on either side, and only confuses. */
const FEWEST = 3;
/** An interval that is none. */
const NONE: readonly [number, number] = [NaN, NaN];

/** Scores the results of one metric. The score is NaN if there is no value. */
export function score(groups: readonly ClassResult[]): Score {
  const values = groups.map(({ result }) => result.values.filter((value) => !Number.isNaN(value)));
  const independent = groups.map(bySeedImage).filter((group) => group.length > 0);
  const scores = values.map(mean), filled = values.filter((group) => group.length > 0);
  const count = values.reduce((sum, group) => sum + group.length, 0);
  return {
    score: mean(filled.map(mean)),
    pooled: values.reduce((sum, group) => sum + group.reduce((a, b) => a + b, 0), 0) / count,
    interval: intervalOf(groups, filled, independent),
    range: rangeOf(filled),
    groups: groups.map(({ label }, g) => ({ label, score: scores[g], count: values[g].length })),
    count,
  };
}

/**
 * Computes independent values with the mean of the values of a class: one for each seed image, because what an image is like follows from
 * its seed image. With n values of mean m in all, of which n_c of mean m_c come from one of C seed images, its value is
 * m + C n_c (m_c - m) / n. The variance of their mean is that of Liang and Zeger, "Longitudinal data analysis using generalized linear
 * models" (1986), with the factor C / (C - 1).
 */
function bySeedImage({ result: { values }, seedImages }: ClassResult): Float64Array {
  const kept = [...values.keys()].filter((i) => !Number.isNaN(values[i]));
  if (!seedImages) return Float64Array.from(kept, (i) => values[i]);
  const ofSeed = new Map<number | string, number[]>();
  for (const i of kept) {
    const seed = seedImages[i] ?? NaN, key = Number.isNaN(seed) ? `image ${i}` : seed;
    ofSeed.set(key, [...ofSeed.get(key) ?? [], values[i]]);
  }
  const middle = mean(kept.map((i) => values[i])), part = ofSeed.size / kept.length;
  return Float64Array.from(ofSeed.values(), (some) => middle + part * some.length * (mean(some) - middle));
}

/**
 * Computes the 95 % interval of the mean of the classes' means, for more images of the same system. There is none for values of
 * training images, which are no sample of the system, for one or two values, and for few that are all equal.
 */
function intervalOf(
  groups: readonly ClassResult[],
  filled: readonly Float64Array[],
  independent: readonly Float64Array[],
): readonly [number, number] {
  if (filled.length === 0 || groups.some(({ result }) => result.of === "training")) return NONE;
  const errors = groups.flatMap(({ result: { standardError } }) => standardError ?? []);
  if (errors.length > 0) return intervalOfErrors(errors, filled);
  const { error, degrees } = errorOfMean(independent), center = mean(filled.map(mean));
  const count = sum(independent.map(({ length }) => length));
  if (count < FEWEST || !(error > 0) && count < FEW) return NONE;
  const half = studentPoint(degrees) * error;
  return [center - half, center + half];
}

/** The interval by a metric's own standard errors. The classes are independent. Where all values are parts, 0..1, so are its ends. */
function intervalOfErrors(errors: readonly number[], filled: readonly Float64Array[]): [number, number] {
  const center = mean(filled.map(mean)), [least, greatest] = rangeOf(filled);
  const half = NORMAL * Math.sqrt(sum(errors.map((error) => error ** 2))) / errors.length;
  const [low, high] = least >= 0 && greatest <= 1 ? [0, 1] : [-Infinity, Infinity];
  return [Math.max(center - half, low), Math.min(center + half, high)];
}

/**
 * Estimates the standard error of the mean of the classes' means, and its degrees of freedom. With enough images of each class, the
 * variance is that within the classes (degrees: Welch, "The generalization of Student's problem when several different population
 * variances are involved", 1947). With few of a class in the mean, by which its own variance is hardly known, all classes have
 * one variance: that of all values about the means of their classes. With fewer still, the variance of all values stands for it, which also holds the classes apart:
 * which classes happen to be among few images is as much chance as the images.
 */
function errorOfMean(filled: readonly Float64Array[]): { readonly error: number; readonly degrees: number } {
  const classes = filled.length,
    sizes = filled.map(({ length }) => length),
    count = sum(sizes),
    least = Math.min(...sizes);
  const within = count - classes, isEnough = classes === 1 || least >= 2 && within >= MIN_DEGREES;
  if (isEnough && (classes === 1 || count >= MIN_OF_CLASS * classes)) {
    const parts = filled.map((values) => variance(values) / values.length), whole = sum(parts);
    const welch = whole ** 2 / sum(parts.map((part, g) => part ** 2 / (sizes[g] - 1)));
    const degrees = whole > 0 ? Math.floor(welch) : count - 1;
    return { error: Math.sqrt(whole) / classes, degrees: Math.max(degrees, 1) };
  }
  const common = isEnough
    ? sum(filled.map((values) => variance(values) * (values.length - 1))) / within
    : variance(filled.flatMap((values) => [...values]));
  const error = Math.sqrt(sum(sizes.map((size) => common / size))) / classes;
  return { error, degrees: Math.max(isEnough ? within : count - 1, 1) };
}

function rangeOf(groups: readonly Float64Array[]): [number, number] {
  if (groups.length === 0) return [NaN, NaN];
  const least = groups.map((values) => values.reduce((a, b) => Math.min(a, b)));
  const greatest = groups.map((values) => values.reduce((a, b) => Math.max(a, b)));
  return [Math.min(...least), Math.max(...greatest)];
}

function sum(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum;
}
