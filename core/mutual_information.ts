/**
 * How much the left and the right half of an image say about each other: their pointwise mutual information,
 * log p(left, right) / (p(left) p(right)), by a Gaussian that is fitted to training images. It is low where each half is usual by
 * itself but the two do not belong together: glasses before one eye, two eyes that differ.
 */
import { solveLower } from "./cholesky.ts";
import {
  covarianceOf,
  decomposed,
  type Gaussian,
  gaussianWork,
  likelihoodWork,
  PER_PRODUCT,
  readColumns,
  squares,
} from "./gaussian.ts";
import type { Kernels } from "./kernels.ts";
import { areaOf, type Size } from "./shape.ts";
import { PROGRESS, stepCounter, type Steps } from "./steps.ts";
import type { Rows } from "./types.ts";

/** A Gaussian of the two halves of images: of all pixels, the left half first. */
export interface Halves extends Gaussian {
  /** L of the covariance of the right half. */
  readonly right: Float64Array;
}

/** The work of fitting a Gaussian to the halves of `count` images of `area` pixels. */
export function halvesWork(area: number, count: number): number {
  return gaussianWork(area, count) + PER_PRODUCT * (area / 2) ** 3 / 6;
}

/** The work of measuring the mutual information of the halves of an image of `area` pixels. */
export function informationWork(area: number): number {
  return likelihoodWork(area) + likelihoodWork(area / 2);
}

/**
 * Fits a Gaussian to the grey values of images as `fitGaussian` does, and another to their right half.
 *
 * @param numbers the images to learn from
 */
export function* fitHalves(kernels: Kernels, rows: Rows, numbers: readonly number[]): Steps<Halves> {
  const { mean, covariance } = yield* covarianceOf(kernels, rows, numbers);
  const area = areaOf(rows), left = leftArea(rows), rest = area - left;
  const right = new Float64Array(rest * rest);
  for (let i = 0; i < rest; i++) {
    for (let j = 0; j <= i; j++) right[i * rest + j] = covariance[(left + i) * area + left + j];
  }
  yield* decomposed(kernels, covariance, area);
  yield* decomposed(kernels, right, rest);
  return { size: rows, mean, factor: covariance, right };
}

/** The pointwise mutual information of the halves of each image in nats, up to a constant that is the same for all. */
export function* mutualInformation(
  kernels: Kernels,
  { mean, factor, right }: Halves,
  rows: Rows,
): Steps<Float64Array> {
  const area = areaOf(rows);
  const left = leftArea(rows);
  const values = new Float64Array(area);
  const information = new Float64Array(rows.count);
  const isStep = stepCounter(kernels);
  for (let number = 0; number < rows.count; number++) {
    readColumns(kernels, rows, number, values);
    for (let i = 0; i < area; i++) values[i] -= mean[i];
    const alone = values.slice(left);
    solveLower(right, alone, area - left);
    // The last values of the solution are the right half's when the left one is known.
    solveLower(factor, values, area);
    information[number] = (squares(alone) - squares(values.subarray(left))) / 2;
    kernels.addWork(informationWork(area));
    if (isStep()) yield PROGRESS;
  }
  return information;
}

/** How many pixels the left half has: with an odd width the middle column is in the right one. */
function leftArea({ height, width }: Size): number {
  return height * Math.floor(width / 2);
}
