/** Means of several draws, with their 95 % intervals. */
import { mean, variance } from "../../core/numbers.ts";

/** A mean and half the width of its interval; NaN of fewer than two values. */
export interface Interval {
  readonly mean: number;
  readonly half: number;
}

/** 97.5 % points of Student's t with 1 to 9 degrees of freedom; the series is exact to 0.003 from there on. */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];
/** The 97.5 % point of the normal distribution. */
export const NORMAL = 1.959964;

/** Returns the 95 % interval of the mean of independent values, by Student's t. */
export function intervalOf(values: readonly number[]): Interval {
  const count = values.length;
  const half = count < 2 ? NaN : studentPoint(count - 1) * Math.sqrt(variance(values) / count);
  return { mean: mean(values), half };
}

/** The 97.5 % point of Student's t: from a table, or by its series in 1 / degrees (Abramowitz and Stegun, 26.7.5). */
export function studentPoint(degrees: number): number {
  const z = NORMAL;
  return STUDENT[degrees - 1] ??
    z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}
