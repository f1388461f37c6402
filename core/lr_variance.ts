/** The unit of an h that is relative to the training images (`Profile.relativeH`). Not in the paper. */
import type { Kernels } from "./kernels.ts";
import { lengthOf } from "./shape.ts";
import type { Planes } from "./types.ts";

/** The least variance, (1/2 grey level)^2: images that are all the same have none, and h > 0. */
const MIN_VARIANCE = (0.5 / 255) ** 2;

/**
 * Computes the variance of a value of the LR images over the images, averaged over the values of an image, in [0, 1] units. The sums
 * are integers, so that it is the same on every engine.
 */
export function lrVariance(kernels: Kernels, lr: Planes): number {
  const variance = variancesByImages.get(lr) ?? computeVariance(kernels, lr);
  variancesByImages.set(lr, variance);
  return variance;
}

/** The variances of LR images that were computed, which every task fits anew. Training images do not change where they lie. */
const variancesByImages = new WeakMap<Planes, number>();

function computeVariance(kernels: Kernels, lr: Planes): number {
  const { count, rows } = lr;
  const length = lengthOf(lr);
  const images = kernels.u8(rows, count * length);
  const sums = new Float64Array(length), squares = new Float64Array(length);
  for (let first = 0; first < images.length; first += length) {
    for (let v = 0; v < length; v++) {
      const value = images[first + v];
      sums[v] += value;
      squares[v] += value * value;
    }
  }
  const total = sums.reduce((all, sum, v) => all + squares[v] / count - (sum / count) ** 2, 0);
  return Math.max(total / length / 255 ** 2, MIN_VARIANCE);
}
