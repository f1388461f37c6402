/** Statistics of attacks and of distances, as pure functions of numbers. */
import { mean } from "../../core/numbers.ts";
import { NORMAL } from "../report/intervals.ts";

/** A number with the ends of its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly interval: readonly [low: number, high: number];
}

/**
 * The area under the ROC curve of a score that tells members from others: the probability that a member's score is higher, ties
 * counted half. The interval is that of DeLong, DeLong and Clarke-Pearson (1988), by the placements of the scores.
 *
 * @returns NaN of an empty set; no interval where a set has one score
 */
export function areaUnderCurve(members: ArrayLike<number>, others: ArrayLike<number>): Estimate {
  const ofMembers = placements(members, others);
  const ofOthers = placements(others, members);
  const value = mean(ofMembers);
  const error = Math.sqrt(variance(ofMembers) / members.length + variance(ofOthers) / others.length);
  const half = NORMAL * error;
  return { value, interval: [Math.max(value - half, 0), Math.min(value + half, 1)] };
}

/** For each score the part of the others that lie below it, equal ones counted half. */
function placements(scores: ArrayLike<number>, others: ArrayLike<number>): Float64Array {
  const sorted = Float64Array.from(others).sort();
  return Float64Array.from(
    scores,
    (score) => (countBelow(sorted, score) + countUpTo(sorted, score)) / 2 / sorted.length,
  );
}

/** How many of sorted values lie below a value. */
function countBelow(sorted: Float64Array, value: number): number {
  return firstIndex(sorted, (other) => other >= value);
}

/** How many of sorted values are at most a value. */
function countUpTo(sorted: Float64Array, value: number): number {
  return firstIndex(sorted, (other) => other > value);
}

/** The first index of sorted values from which on a condition holds; their number if it never does. */
function firstIndex(sorted: Float64Array, holds: (value: number) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(sorted[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The true positives of an attack, and how often it was wrong. */
export interface TruePositives extends Estimate {
  /** The score above which the attack says "member". */
  readonly threshold: number;
  /** The part of the others above it: at most what was asked for. */
  readonly falsePositives: number;
}

/**
 * The part of the members that an attack finds at the least threshold with at most a given part of false positives. The interval is
 * Wilson's; it takes the threshold as given.
 */
export function truePositives(
  members: ArrayLike<number>,
  others: ArrayLike<number>,
  falsePositives: number,
): TruePositives {
  const descending = Float64Array.from(others).sort().reverse();
  const allowed = Math.floor(falsePositives * others.length);
  const threshold = descending[allowed] ?? -Infinity;
  const above = (scores: ArrayLike<number>) => Array.from(scores).filter((score) => score > threshold).length;
  return {
    ...proportion(above(members), members.length),
    threshold,
    falsePositives: above(others) / others.length,
  };
}

/** A part of `count`, with the interval of Wilson (1927). NaN of none. */
export function proportion(part: number, count: number): Estimate {
  const value = part / count;
  const square = NORMAL ** 2;
  const center = (value + square / (2 * count)) / (1 + square / count);
  const half = NORMAL / (1 + square / count) * Math.sqrt(value * (1 - value) / count + square / (4 * count ** 2));
  return { value, interval: [Math.max(center - half, 0), Math.min(center + half, 1)] };
}

/** Distances to the nearest training image, of a class. */
interface CellDistances {
  readonly generated: ArrayLike<number>;
  readonly heldOut: ArrayLike<number>;
}

/**
 * C_T of Meehan, Chaudhuri and Dasgupta, "A Non-Parametric Test to Detect Data-Copying in Generative Models" (2020): the z score of
 * the Mann-Whitney test whether generated images lie as far from training images as held-out images do, averaged over cells by the
 * held-out images in them. Below 0: generated images are nearer. Cells are the classes of the images here. A cell without generated
 * or held-out images is left out.
 *
 * @returns NaN where all cells are left out
 */
export function copyingScore(cells: readonly CellDistances[]): number {
  const full = cells.filter(({ generated, heldOut }) => generated.length > 0 && heldOut.length > 0);
  const all = full.reduce((sum, { heldOut }) => sum + heldOut.length, 0);
  return full.reduce((sum, cell) => sum + mannWhitney(cell) * cell.heldOut.length, 0) / all;
}

/** The z score of the Mann-Whitney test: above 0 where generated values are larger. Ties count half; no correction for them. */
function mannWhitney({ generated, heldOut }: CellDistances): number {
  const m = generated.length;
  const n = heldOut.length;
  const larger = placements(generated, heldOut).reduce((sum, part) => sum + part * n, 0);
  return (larger - m * n / 2) / Math.sqrt(m * n * (m + n + 1) / 12);
}

/** The value below which a part of some values lies, with linear interpolation between two of them. */
export function quantile(values: ArrayLike<number>, part: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = part * (sorted.length - 1);
  const below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

/** What a measure of a set of images says. */
export interface Summary {
  readonly mean: number;
  readonly least: number;
  readonly greatest: number;
}

/** Sums up the values of a measure; NaN of none. */
export function summaryOf(values: Float64Array): Summary {
  return { mean: mean(values), least: quantile(values, 0), greatest: quantile(values, 1) };
}

/** The mean of some values, with the normal interval of their standard error; NaN ends of fewer than two values. */
export function meanEstimate(values: ArrayLike<number>): Estimate {
  const value = mean(values);
  const half = NORMAL * Math.sqrt(variance(values) / values.length);
  return { value, interval: [value - half, value + half] };
}

/** The variance of the distribution of some values; NaN of one. */
function variance(values: ArrayLike<number>): number {
  const middle = mean(values);
  return values.length / (values.length - 1) * mean(Float64Array.from(values, (value) => (value - middle) ** 2));
}
