/**
 * A regularized linear discriminant, cross-validated: ridge regression of the two classes +1 and -1, whose direction is that of
 * Fisher's discriminant with a regularized covariance (Hastie, Tibshirani and Friedman, "The Elements of Statistical
 * Learning", 2009, exercise 4.2). It is solved for the items' weights, not for the features', since there are fewer items.
 */
import { solvePositive } from "../../../core/cholesky.ts";

/** Items to tell apart. */
export interface Labelled {
  /** Squared distances of all pairs of items, row by row. All that is used of the features. */
  readonly squared: Float64Array;
  /** +1 or -1 for each item. */
  readonly sign: Int8Array;
  /** The number of the fold that an item is left out with. */
  readonly fold: Uint8Array;
}

/**
 * Computes for each item the decision of the discriminant that was fitted without the item's fold: above 0 it is taken for
 * a +1, below for a -1.
 *
 * @param ridge weight of the penalty relative to the mean variance of the items
 */
export function heldOutDecisions({ squared, sign, fold }: Labelled, ridge: number): Float64Array {
  const count = sign.length;
  const decisions = new Float64Array(count);
  for (const left of new Set(fold)) {
    const inside: number[] = [];
    const outside: number[] = [];
    for (let i = 0; i < count; i++) (fold[i] === left ? outside : inside).push(i);
    const n = inside.length;
    const meanSign = inside.reduce((sum, i) => sum + sign[i], 0) / n;
    // Scalar products of features less their mean, from squared distances.
    const means = Float64Array.from({ length: count }, (_, i) => {
      let sum = 0;
      for (let b = 0; b < n; b++) sum += squared[i * count + inside[b]];
      return sum / n;
    });
    const grand = inside.reduce((sum, i) => sum + means[i], 0) / n;
    const product = (i: number, j: number) => (means[i] + means[j] - grand - squared[i * count + j]) / 2;
    const gram = new Float64Array(n * n);
    let variance = 0;
    for (let a = 0; a < n; a++) {
      for (let b = 0; b <= a; b++) gram[a * n + b] = product(inside[a], inside[b]);
      variance += gram[a * n + a] / n;
    }
    // Features without any variance leave nothing to decide by.
    if (!(variance > 0)) continue;
    for (let a = 0; a < n; a++) gram[a * n + a] += ridge * variance;
    const weights = Float64Array.from(inside, (i) => sign[i] - meanSign);
    solvePositive(gram, weights, n);
    for (const i of outside) {
      let sum = 0;
      for (let b = 0; b < n; b++) sum += weights[b] * product(i, inside[b]);
      decisions[i] = sum;
    }
  }
  return decisions;
}
