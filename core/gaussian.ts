/**
 * A Gaussian of the grey values of images, each less its mean and divided by its contrast: how likely an image is beside others.
 */
import { decomposeRow, solveLower } from "./cholesky.ts";
import type { Kernels } from "./kernels.ts";
import { areaOf, lengthOf, type Size } from "./shape.ts";
import { PROGRESS, stepCounter, type Steps } from "./steps.ts";
import type { Rows } from "./types.ts";

/** Added to each variance, as a part of the mean variance: noise that every pixel may have. */
const RIDGE = 0.1;
/** Grey levels that are added to the contrast of an image: without them the noise of flat images would decide. */
const FLAT = 4;

/** A Gaussian of images. Their values are in the order of `readColumns`. */
export interface Gaussian {
  /** The size of the images. */
  readonly size: Size;
  readonly mean: Float64Array;
  /** L of the covariance of all pixels: see `decompose`. */
  readonly factor: Float64Array;
}

/** Images whose products are added together: their values fit a cache. */
const TOGETHER = 64;

/** A multiplication with an addition takes about a nanosecond. */
export const PER_PRODUCT = 10;

/** The work of `fitGaussian` for `count` images of `area` pixels. */
export function gaussianWork(area: number, count: number): number {
  return PER_PRODUCT * (count * area ** 2 / 2 + area ** 3 / 6);
}

/** The work of `logLikelihood` for an image of `area` pixels. */
export function likelihoodWork(area: number): number {
  return PER_PRODUCT * area ** 2 / 2;
}

/**
 * Fits a Gaussian to images. Sums are in one order, so the fit is the same on every engine. An image of n pixels takes n^2 / 2
 * multiplications, the decomposition n^3 / 6.
 *
 * @param numbers the images to learn from
 */
export function* fitGaussian(kernels: Kernels, rows: Rows, numbers: readonly number[]): Steps<Gaussian> {
  const { mean, covariance } = yield* covarianceOf(kernels, rows, numbers);
  yield* decomposed(kernels, covariance, areaOf(rows));
  return { size: rows, mean, factor: covariance };
}

/** The log likelihood of each image in nats, up to a constant that is the same for all: minus half of its squared Mahalanobis distance. */
export function* logLikelihood(kernels: Kernels, { mean, factor }: Gaussian, rows: Rows): Steps<Float64Array> {
  const area = areaOf(rows), values = new Float64Array(area), likelihood = new Float64Array(rows.count);
  const isStep = stepCounter(kernels);
  for (let number = 0; number < rows.count; number++) {
    readColumns(kernels, rows, number, values);
    for (let i = 0; i < area; i++) values[i] -= mean[i];
    solveLower(factor, values, area);
    likelihood[number] = -squares(values) / 2;
    kernels.addWork(likelihoodWork(area));
    if (isStep()) yield PROGRESS;
  }
  return likelihood;
}

/** The mean and the covariance of images, of which the lower triangle is filled, with a part of the mean variance on its diagonal. */
export function* covarianceOf(
  kernels: Kernels,
  rows: Rows,
  numbers: readonly number[],
): Steps<{ mean: Float64Array; covariance: Float64Array }> {
  const area = areaOf(rows);
  const values = new Float64Array(area);
  const mean = new Float64Array(area);
  const covariance = new Float64Array(area * area);
  const columns = new Float64Array(area * TOGETHER);
  const isStep = stepCounter(kernels);
  for (let first = 0; first < numbers.length; first += TOGETHER) {
    const some = numbers.slice(first, first + TOGETHER);
    some.forEach((number, n) => {
      readColumns(kernels, rows, number, values);
      for (let i = 0; i < area; i++) {
        mean[i] += values[i];
        columns[i * TOGETHER + n] = values[i];
      }
    });
    for (let i = 0; i < area; i++) {
      addProducts(covariance, columns, area, i, some.length);
      kernels.addWork(PER_PRODUCT * (i + 1) * some.length);
      if (isStep()) yield PROGRESS;
    }
  }
  const count = Math.max(numbers.length, 1);
  for (let i = 0; i < area; i++) mean[i] /= count;
  let variance = 0;
  for (let i = 0; i < area; i++) {
    for (let j = 0; j <= i; j++) covariance[i * area + j] = covariance[i * area + j] / count - mean[i] * mean[j];
    variance += covariance[i * area + i] / area;
  }
  // Images that are all alike have no variance.
  const ridge = RIDGE * variance || 1;
  for (let i = 0; i < area; i++) covariance[i * area + i] += ridge;
  return { mean, covariance };
}

/**
 * Adds the products of value `i` with itself and those before it to row `i` of the sums, image after image: each sum in the order of
 * the images. Four sums at once stay in registers.
 *
 * @param columns each value of `TOGETHER` images
 */
function addProducts(sums: Float64Array, columns: Float64Array, area: number, i: number, count: number): void {
  const own = i * TOGETHER, row = i * area;
  let j = 0;
  for (; j + 3 <= i; j += 4) {
    const a = j * TOGETHER, b = a + TOGETHER, c = b + TOGETHER, d = c + TOGETHER;
    let sumA = sums[row + j], sumB = sums[row + j + 1], sumC = sums[row + j + 2], sumD = sums[row + j + 3];
    for (let n = 0; n < count; n++) {
      const value = columns[own + n];
      sumA += value * columns[a + n];
      sumB += value * columns[b + n];
      sumC += value * columns[c + n];
      sumD += value * columns[d + n];
    }
    sums[row + j] = sumA;
    sums[row + j + 1] = sumB;
    sums[row + j + 2] = sumC;
    sums[row + j + 3] = sumD;
  }
  for (; j <= i; j++) {
    let sum = sums[row + j];
    for (let n = 0; n < count; n++) sum += columns[own + n] * columns[j * TOGETHER + n];
    sums[row + j] = sum;
  }
}

/** Does the work of `decompose` in steps. */
export function* decomposed(kernels: Kernels, matrix: Float64Array, side: number): Steps<void> {
  const isStep = stepCounter(kernels);
  for (let i = 0; i < side; i++) {
    decomposeRow(matrix, side, i);
    kernels.addWork(PER_PRODUCT * (i + 1) ** 2 / 2);
    if (isStep()) yield PROGRESS;
  }
}

/** The sum of the squares of some values. */
export function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

/** Reads the grey values of an image, column by column: mean 0 and contrast 1, except where it is nearly flat. */
export function readColumns(kernels: Kernels, rows: Rows, number: number, out: Float64Array): void {
  const { channels, height, width } = rows;
  const area = areaOf(rows);
  const image = kernels.u8(rows.at + number * lengthOf(rows), lengthOf(rows));
  let sum = 0;
  for (let p = 0; p < area; p++) {
    let value = 0;
    for (let c = 0; c < channels; c++) value += image[c * area + p];
    const at = (p % width) * height + Math.floor(p / width);
    out[at] = value / channels;
    sum += out[at];
  }
  const mean = sum / area;
  let variance = 0;
  for (let p = 0; p < area; p++) variance += (out[p] - mean) * (out[p] - mean) / area;
  const contrast = Math.sqrt(variance) + FLAT;
  for (let p = 0; p < area; p++) out[p] = (out[p] - mean) / contrast;
}
