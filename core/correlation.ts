/** Whole images against whole images by correlation, which neither brightness nor contrast changes. */
import { borrowing, type Kernels } from "./kernels.ts";
import { eachRow } from "./image_distances.ts";
import { lengthOf } from "./shape.ts";
import type { Rows } from "./types.ts";

/** For each query the image of a set that it correlates with most. */
export interface ClosestCorrelations {
  /** The correlation, in [-1, 1]; NaN where the query or all images of the set are flat. */
  readonly correlation: Float64Array;
  /** The number of that image in the set, of equal ones the lowest; -1 where there is no correlation. */
  readonly nearest: Int32Array;
}

/**
 * Finds the highest correlation of each query with an image of a set, over the values of all channels together. Sums are
 * exact, so the result is the same on every engine.
 *
 * @param except gives the number of the image that a query leaves out, if it is itself in the set; -1: none
 */
export function closestCorrelations(
  kernels: Kernels,
  queries: Rows,
  set: CorrelationSet,
  except: (query: number) => number = () => -1,
): ClosestCorrelations {
  const correlation = new Float64Array(queries.count).fill(NaN);
  const nearest = new Int32Array(queries.count).fill(-1);
  eachCorrelation(kernels, queries, set, except, (query, value, image) => {
    if (value <= correlation[query]) return;
    correlation[query] = value;
    nearest[query] = image;
  });
  return { correlation: correlation.map((value) => Math.min(value, 1)), nearest };
}

/** For each query how much it correlates with those images of a set that it correlates with most; NaN as in `ClosestCorrelations`. */
export interface HighestCorrelations {
  /** The highest correlation, in [-1, 1]. */
  readonly highest: Float64Array;
  /** The mean of the `count` highest ones, or of all where there are fewer. */
  readonly means: Float64Array;
}

/** Computes the means that `highestCorrelations` does. */
export function meanHighestCorrelations(...given: Parameters<typeof highestCorrelations>): Float64Array {
  return highestCorrelations(...given).means;
}

/**
 * Computes the highest correlation of each query with an image of a set, and the mean of the `count` highest ones.
 *
 * @param except as in `closestCorrelations`
 */
export function highestCorrelations(
  kernels: Kernels,
  queries: Rows,
  set: CorrelationSet,
  count: number,
  except: (query: number) => number = () => -1,
): HighestCorrelations {
  const highest: number[][] = Array.from({ length: queries.count }, () => []);
  eachCorrelation(kernels, queries, set, except, (query, value) => {
    const kept = highest[query];
    if (kept.length === count && value <= kept[count - 1]) return;
    const place = kept.findIndex((other) => value > other);
    kept.splice(place < 0 ? kept.length : place, 0, value);
    if (kept.length > count) kept.pop();
  });
  return {
    highest: Float64Array.from(highest, ([first = NaN]) => Math.min(first, 1)),
    means: Float64Array.from(highest, (values) => values.reduce((sum, value) => sum + value, 0) / values.length),
  };
}

/** Images that queries are compared with: with their moments, where they are compared more than once. */
export interface CorrelationSet extends Rows {
  readonly moments?: Moments;
}

/** Measures the moments of images that stay as they are, for those who compare queries with them again and again. */
export function withMoments(kernels: Kernels, rows: Rows): CorrelationSet {
  return { ...rows, moments: momentsOf(kernels, rows) };
}

/** Calls `each` with the correlation of each query with each image of a set, where neither is flat, in the order of the set. */
export function eachCorrelation(
  kernels: Kernels,
  queries: Rows,
  set: CorrelationSet,
  except: (query: number) => number,
  each: (query: number, value: number, image: number) => void,
): void {
  const length = lengthOf(set);
  const ofQueries = momentsOf(kernels, queries);
  const ofSet = set.moments ?? momentsOf(kernels, set);
  eachRow(kernels, queries, set, (query, squared) => {
    if (ofQueries.variance[query] === 0) return;
    const left = except(query);
    for (let i = 0; i < squared.length; i++) {
      if (ofSet.variance[i] === 0 || i === left) continue;
      // |a - b|^2 = |a|^2 + |b|^2 - 2 a b, all in whole numbers.
      const product = (ofQueries.squares[query] + ofSet.squares[i] - squared[i]) / 2;
      const covariance = length * product - ofQueries.sum[query] * ofSet.sum[i];
      each(query, covariance / Math.sqrt(ofQueries.variance[query] * ofSet.variance[i]), i);
    }
  });
}

/** Sums of the values of each image, of their squares, and the squared length times their variance, in whole numbers. */
export interface Moments {
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  readonly variance: Float64Array;
}

/** Measures moments by the kernel that compares images: with an image of zeros, and with one of ones. */
function momentsOf(kernels: Kernels, rows: Rows): Moments {
  const length = lengthOf(rows), squares = new Float64Array(rows.count), sum = new Float64Array(rows.count);
  borrowing(kernels, () => {
    const at = kernels.allocate(2 * length);
    kernels.u8(at + length, length).fill(1);
    eachRow(kernels, { ...rows, at, count: 2 }, rows, (query, squared) => (query === 0 ? squares : sum).set(squared));
  });
  // |v - 1|^2 = |v|^2 - 2 sum + length, all in whole numbers.
  for (let i = 0; i < rows.count; i++) sum[i] = (squares[i] - sum[i] + length) / 2;
  return { sum, squares, variance: sum.map((total, i) => length * squares[i] - total * total) };
}
