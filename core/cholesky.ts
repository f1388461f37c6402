/** Linear systems by Cholesky's decomposition, in flat arrays: a prior solves one for each draw. */

/**
 * Replaces a positive definite matrix by the lower triangle L of its Cholesky decomposition A = L L^T.
 *
 * @param a `count` x `count` values, of which the lower triangle is read and overwritten
 */
export function decompose(a: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) decomposeRow(a, count, i);
}

/** Does row `i` of `decompose`, after those before it: i^2 / 2 multiplications. */
export function decomposeRow(a: Float64Array, count: number, i: number): void {
  for (let j = 0; j <= i; j++) {
    let sum = a[i * count + j];
    for (let k = 0; k < j; k++) sum -= a[i * count + k] * a[j * count + k];
    a[i * count + j] = i === j ? Math.sqrt(sum) : sum / a[j * count + j];
  }
}

/**
 * Solves L x = b in place.
 *
 * @param l `count` x `count` values: the lower triangle that `decompose` leaves
 * @param b `count` values
 */
export function solveLower(l: Float64Array, b: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) {
    // A variable, since an element that is written and read again takes six times as long.
    let rest = b[i];
    for (let k = 0, at = i * count; k < i; k++, at++) rest -= l[at] * b[k];
    b[i] = rest / l[i * count + i];
  }
}

/**
 * Solves A x = b in place by Cholesky's decomposition A = L L^T. With noise it adds L^-T noise, whose covariance is A^-1.
 *
 * @param a `count` x `count` values of a positive definite matrix, of which the lower triangle is read, and overwritten by L
 * @param b `count` values: the right side, then the solution
 * @param noise `count` independent values of mean 0 and variance 1; by default none
 */
export function solvePositive(a: Float64Array, b: Float64Array, count: number, noise?: Float64Array): void {
  decompose(a, count);
  solveLower(a, b, count);
  for (let i = count - 1; i >= 0; i--) {
    let rest = noise ? b[i] + noise[i] : b[i];
    for (let k = i + 1; k < count; k++) rest -= a[k * count + i] * b[k];
    b[i] = rest / a[i * count + i];
  }
}
