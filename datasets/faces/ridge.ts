/** Linear regression with a penalty on the weights. */
import { CholeskyDecomposition, Matrix } from "ml-matrix";

/**
 * Fits targets as linear functions of a description and a constant, by least squares with a ridge.
 *
 * @param rows descriptions of `size` values, one after another
 * @param targets as many rows of `outputs` values
 * @param ridge the penalty, relative to the mean square of a value
 * @returns weights: for each output `size` values and the constant
 */
export function fitRidge(
  rows: Float32Array,
  size: number,
  targets: Float32Array,
  outputs: number,
  ridge: number,
): Float32Array {
  const count = rows.length / size;
  const all = size + 1;
  const gram = new Float64Array(all * all);
  const moments = new Float64Array(all * outputs);
  const BLOCK = 4;
  const block = [0, 1, 2, 3].map(() => new Float64Array(all));
  const [a, b, c, d] = block;
  for (let first = 0; first < count; first += BLOCK) {
    for (let k = 0; k < BLOCK; k++) {
      block[k].fill(0);
      if (first + k >= count) continue;
      block[k].set(rows.subarray((first + k) * size, (first + k + 1) * size));
      block[k][size] = 1;
      for (let o = 0; o < outputs; o++) {
        const target = targets[(first + k) * outputs + o];
        for (let i = 0; i < all; i++) moments[i * outputs + o] += block[k][i] * target;
      }
    }
    for (let i = 0; i < all; i++) {
      const ai = a[i];
      const bi = b[i];
      const ci = c[i];
      const di = d[i];
      const at = i * all;
      for (let j = 0; j <= i; j++) gram[at + j] += ai * a[j] + bi * b[j] + ci * c[j] + di * d[j];
    }
  }
  let trace = 0;
  for (let i = 0; i < size; i++) trace += gram[i * all + i];
  const normal = new Matrix(all, all);
  for (let i = 0; i < all; i++) {
    for (let j = 0; j <= i; j++) {
      const value = gram[i * all + j] + (i === j && i < size ? ridge * trace / size : 0);
      normal.set(i, j, value);
      normal.set(j, i, value);
    }
  }
  normal.set(size, size, normal.get(size, size) + 1e-9);
  const solved = new CholeskyDecomposition(normal).solve(Matrix.from1DArray(all, outputs, moments));
  return Float32Array.from({ length: outputs * all }, (_, i) => solved.get(i % all, Math.floor(i / all)));
}

/** What fitted weights give for output `output` of the description that begins at `from`. */
export function predict(weights: Float32Array, output: number, size: number, row: Float32Array, from = 0): number {
  const at = output * (size + 1);
  let sum = weights[at + size];
  for (let i = 0; i < size; i++) sum += weights[at + i] * row[from + i];
  return sum;
}
