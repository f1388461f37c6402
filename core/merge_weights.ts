/**
 * The weights with which the pixels of a patch count where overlapping patches are merged. The paper averages them, which is
 * `feather` 0. The rest is beyond the paper: weights that fall towards the border of a patch hide seams, and blur less than an
 * average, because at each pixel the patch that has it nearest to its centre counts most.
 */

/** The largest exponent that a profile may ask for. */
export const MAX_FEATHER = 8;

/**
 * Computes the merge weights of a patch, n x n f32: the products of sin(pi (t + 1/2) / n)^`feather` at row and column t, divided
 * by their mean, so that lambda / rho means the same for every `feather`. All are exactly 1 for `feather` 0.
 *
 * @param patch n: side of a patch.
 * @param feather The exponent, an integer >= 0.
 */
export function mergeWeights(patch: number, feather: number): Float32Array {
  const line = Array.from({ length: patch }, (_, t) => {
    // From the nearer border on: both halves get the same values, to the bit.
    const value = sine(Math.PI * (Math.min(t, patch - 1 - t) + 0.5) / patch);
    let power = 1;
    for (let factor = 0; factor < feather; factor++) power *= value;
    return power;
  });
  const mean = line.reduce((sum, value) => sum + value, 0) / patch;
  return Float32Array.from({ length: patch * patch }, (_, p) => {
    return (line[Math.floor(p / patch)] / mean) * (line[p % patch] / mean);
  });
}

/** The sine of 0 .. pi / 2 by its Taylor series, since engines differ in the last bits of `Math.sin`. */
function sine(angle: number): number {
  let term = angle;
  let sum = angle;
  // The first term that is left out, angle^27 / 27!, is below 2^-53.
  for (let k = 2; k < 26; k += 2) {
    term *= -angle * angle / (k * (k + 1));
    sum += term;
  }
  return sum;
}
