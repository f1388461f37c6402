/**
 * How much the left and the right half of an image say about each other: their pointwise mutual information,
 * log p(left, right) / (p(left) p(right)), by a Gaussian that is fitted to training images. It is low where each half is usual by
 * itself but the two do not belong together: glasses before one eye, two eyes that differ.
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

/** A Gaussian of the two halves of images. */
export interface Halves {
  /** The size of the images. */
  readonly size: Size;
  readonly mean: Float64Array;
  /** L of the covariance of all pixels, the left half first. */
  readonly joint: Float64Array;
  /** L of the covariance of the right half. */
  readonly right: Float64Array;
}

/** A multiplication with an addition takes about a nanosecond. */
const PER_PRODUCT = 10;

/** The work of fitting a Gaussian to the halves of `count` images of `area` pixels. */
export function halvesWork(area: number, count: number): number {
  return PER_PRODUCT * (count * area ** 2 / 2 + (area ** 3 + (area / 2) ** 3) / 6);
}

/** The work of measuring the mutual information of the halves of an image of `area` pixels. */
export function informationWork(area: number): number {
  return PER_PRODUCT * (area ** 2 + (area / 2) ** 2) / 2;
}

/**
 * Fits a Gaussian to the grey values of images, each less its mean and divided by its standard deviation plus 4 grey levels. Sums
 * are in one order, so the fit is the same on every engine. An image of n pixels takes n^2 / 2 multiplications, the decomposition
 * n^3 / 6.
 *
 * @param numbers the images to learn from
 */
export function* fitHalves(kernels: Kernels, rows: Rows, numbers: readonly number[]): Steps<Halves> {
  const area = areaOf(rows);
  const values = new Float64Array(area);
  const mean = new Float64Array(area);
  const joint = new Float64Array(area * area);
  const isStep = stepCounter(kernels);
  for (const number of numbers) {
    readHalves(kernels, rows, number, values);
    for (let i = 0; i < area; i++) {
      const value = values[i];
      const row = i * area;
      mean[i] += value;
      for (let j = 0; j <= i; j++) joint[row + j] += value * values[j];
      kernels.addWork(PER_PRODUCT * (i + 1));
      if (isStep()) yield PROGRESS;
    }
  }
  const count = Math.max(numbers.length, 1);
  for (let i = 0; i < area; i++) mean[i] /= count;
  let variance = 0;
  for (let i = 0; i < area; i++) {
    for (let j = 0; j <= i; j++) joint[i * area + j] = joint[i * area + j] / count - mean[i] * mean[j];
    variance += joint[i * area + i] / area;
  }
  // Images that are all alike have no variance.
  const ridge = RIDGE * variance || 1;
  for (let i = 0; i < area; i++) joint[i * area + i] += ridge;
  const left = leftArea(rows);
  const rest = area - left;
  const right = new Float64Array(rest * rest);
  for (let i = 0; i < rest; i++) {
    for (let j = 0; j <= i; j++) right[i * rest + j] = joint[(left + i) * area + left + j];
  }
  for (const [matrix, side] of [[joint, area], [right, rest]] as const) {
    for (let i = 0; i < side; i++) {
      decomposeRow(matrix, side, i);
      kernels.addWork(PER_PRODUCT * (i + 1) ** 2 / 2);
      if (isStep()) yield PROGRESS;
    }
  }
  return { size: rows, mean, joint, right };
}

/** The pointwise mutual information of the halves of each image in nats, up to a constant that is the same for all. */
export function* mutualInformation(
  kernels: Kernels,
  { mean, joint, right }: Halves,
  rows: Rows,
): Steps<Float64Array> {
  const area = areaOf(rows);
  const left = leftArea(rows);
  const values = new Float64Array(area);
  const information = new Float64Array(rows.count);
  const isStep = stepCounter(kernels);
  for (let number = 0; number < rows.count; number++) {
    readHalves(kernels, rows, number, values);
    for (let i = 0; i < area; i++) values[i] -= mean[i];
    const alone = values.slice(left);
    solveLower(right, alone, area - left);
    // The last values of the solution are the right half's when the left one is known.
    solveLower(joint, values, area);
    information[number] = (squares(alone) - squares(values.subarray(left))) / 2;
    kernels.addWork(informationWork(area));
    if (isStep()) yield PROGRESS;
  }
  return information;
}

/** The sum of the squares of some values. */
function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

/** How many pixels the left half has: with an odd width the middle column is in the right one. */
function leftArea({ height, width }: Size): number {
  return height * Math.floor(width / 2);
}

/** Reads the grey values of an image, column by column: mean 0 and contrast 1, except where it is nearly flat. */
function readHalves(kernels: Kernels, rows: Rows, number: number, out: Float64Array): void {
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
