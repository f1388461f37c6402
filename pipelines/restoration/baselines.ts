/** What any text book does to a measured image, to compare restorations with. Values in [0, 1] or about it; nothing is random. */
import type { Kernels } from "../../core/kernels.ts";
import { areaOf, type Size } from "../../core/shape.ts";

/** Keys' cubic kernel (a = -1/2) half-way between two pixels. */
const HALF_WAY = [-1 / 16, 9 / 16, 9 / 16, -1 / 16];

/**
 * Bicubic interpolation to twice the size, from pixels that repeat at the border. As H keeps every second pixel from the
 * first, pixel (y, x) lies at (2y, 2x): even pixels are the small image's own. The usual alignment of pixels' corners would
 * shift the result by half a pixel against the truth.
 */
export function bicubic(small: ArrayLike<number>, { height, width }: Size): Float32Array {
  const wide = 2 * width, rows = new Float64Array(height * wide), out = new Float32Array(4 * height * width);
  const between = (at: (i: number) => number, i: number, end: number) => {
    if (i % 2 === 0) return at(i / 2);
    return HALF_WAY.reduce((sum, weight, k) => {
      return sum + weight * at(Math.min(Math.max((i >> 1) + k - 1, 0), end - 1));
    }, 0);
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < wide; x++) rows[y * wide + x] = between((i) => small[y * width + i], x, width);
  }
  for (let y = 0; y < 2 * height; y++) {
    for (let x = 0; x < wide; x++) out[y * wide + x] = between((i) => rows[i * wide + x], y, height);
  }
  return out;
}

/** A Gaussian blur of that standard deviation in pixels, over 3 of them to each side; the border repeats. */
export function gaussianBlur(
  kernels: Kernels,
  image: ArrayLike<number>,
  { height, width }: Size,
  sigma: number,
): Float32Array {
  const reach = Math.ceil(3 * sigma), mark = kernels.mark(), at = kernels.allocate((2 * reach + 1) * 8);
  kernels.f64(at, 2 * reach + 1).forEach((_, i, all) => all[i] = -((i - reach) ** 2) / (2 * sigma * sigma));
  kernels.expInPlace(at, 2 * reach + 1);
  const weights = [...kernels.f64(at, 2 * reach + 1)], total = weights.reduce((sum, weight) => sum + weight, 0);
  kernels.release(mark);
  const line = (pixel: (i: number) => number, middle: number, end: number) => {
    return weights.reduce((sum, weight, k) => {
      return sum + weight / total * pixel(Math.min(Math.max(middle + k - reach, 0), end - 1));
    }, 0);
  };
  const rows = Float64Array.from({ length: height * width }, (_, p) => {
    return line((x) => image[p - p % width + x], p % width, width);
  });
  return Float32Array.from(rows, (_, p) => line((y) => rows[y * width + p % width], Math.floor(p / width), height));
}

/** Fills what is missing with the mean of the training images at that pixel. `training`: rows of bytes. */
export function meanFill(
  image: ArrayLike<number>,
  known: ArrayLike<number>,
  mean: ArrayLike<number>,
  size: Size,
): Float32Array {
  return Float32Array.from({ length: areaOf(size) }, (_, p) => known[p] > 0 ? image[p] : mean[p]);
}
