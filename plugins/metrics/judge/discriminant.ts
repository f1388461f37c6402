/**
 * A regularized linear discriminant, cross-validated: ridge regression of the two classes +1 and -1, whose direction is that of
 * Fisher's discriminant with a regularized covariance (Hastie, Tibshirani and Friedman, "The Elements of Statistical
 * Learning", 2009, exercise 4.2). It is solved for the items' weights, not for the features', since there are fewer items.
 */

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
  const count = sign.length, decisions = new Float64Array(count);
  for (const left of new Set(fold)) {
    const inside: number[] = [], outside: number[] = [];
    for (let i = 0; i < count; i++) (fold[i] === left ? outside : inside).push(i);
    const n = inside.length, meanSign = inside.reduce((sum, i) => sum + sign[i], 0) / n;
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
    const weights = solve(gram, Float64Array.from(inside, (i) => sign[i] - meanSign));
    for (const i of outside) {
      let sum = 0;
      for (let b = 0; b < n; b++) sum += weights[b] * product(i, inside[b]);
      decisions[i] = sum;
    }
  }
  return decisions;
}

/** Solves a positive definite system by Cholesky's method; of `matrix` the lower half is read, and overwritten. */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const n = right.length, x = right.slice();
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * n + j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= matrix[i * n + k] * x[k];
    x[i] /= matrix[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= matrix[k * n + i] * x[k];
    x[i] /= matrix[i * n + i];
  }
  return x;
}
