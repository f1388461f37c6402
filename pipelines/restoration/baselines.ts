/** The baselines: standard methods that restorations are compared with. Values are in about [0, 1]; nothing is random. */
import { byteOf } from "../../core/bytes.ts";
import type { Kernels } from "../../core/kernels.ts";
import { pad } from "../../core/pyramid.ts";
import { areaOf, lengthOf, type Shape, type Size } from "../../core/shape.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { DegradedImage } from "./degradation.ts";
import { psnr } from "./fidelity.ts";
import type { RestorationRequest } from "./restore.ts";

/** The images of a baseline. */
export interface Baseline {
  /** Name of the method, with its width: "bicubic", "mean-fill", "blur-0.6". */
  readonly name: string;
  /** Bytes of the profile's size, one for each degraded image. */
  readonly images: readonly Uint8Array[];
  /** denoise: the degraded images as bytes, which are a baseline of their own. */
  readonly degraded?: readonly Uint8Array[];
}

/** Standard deviations of the blur that are tried, in pixels, and the one taken if the truth is unknown. */
const SIGMAS = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1, 1.2, 1.5, 2], BLIND_SIGMA = 0.6;

/**
 * Makes the baseline of a task.
 * - superres: bicubic interpolation in the phase of H.
 * - inpaint: missing pixels take the mean of the training images.
 * - denoise: the Gaussian blur with the highest mean PSNR on these images. It uses the truth, which no restoration may do.
 */
export function baselineOf(
  kernels: Kernels,
  { degradation: { task }, plan, known, data, degraded, groups }: Omit<RestorationRequest, "samples" | "seed">,
): Baseline {
  const { sizes: [full], channels } = plan, bytes = (values: Float32Array) => Uint8Array.from(values, byteOf);
  if (task === "superres") {
    const enlarged = ({ observed }: DegradedImage) => {
      return plan.sizes.slice(1).reverse().reduce<Float32Array>((small, size) => {
        return byPlane(small, size, (plane) => bicubic(plane, size));
      }, observed);
    };
    return { name: "bicubic", images: degraded.map((image) => bytes(enlarged(image))) };
  }
  if (task === "inpaint") {
    const means = groups.map(({ label }) => meanImage(data, label, { ...full, channels }));
    const groupOf = (n: number) => groups.findIndex(({ images }) => images.includes(n));
    const images = degraded.map(({ observed }, n) => bytes(meanFill(observed, known, means[groupOf(n)])));
    return { name: "mean-fill", images };
  }
  const blurred = SIGMAS.map((sigma) => ({
    sigma,
    images: degraded.map(({ observed }) => {
      return bytes(byPlane(observed, full, (plane) => gaussianBlur(kernels, plane, full, sigma)));
    }),
  }));
  const scoreOf = ({ images }: { images: readonly Uint8Array[] }) => {
    return images.reduce((sum, image, n) => sum + psnr(image, degraded[n].truth!), 0);
  };
  const best = degraded[0].truth
    ? blurred.reduce((best, next) => scoreOf(next) > scoreOf(best) ? next : best)
    : blurred.find(({ sigma }) => sigma === BLIND_SIGMA)!;
  return { name: `blur-${best.sigma}`, images: best.images, degraded: degraded.map(({ observed }) => bytes(observed)) };
}

/** Applies a method of grey images to each channel of an image. */
function byPlane(image: Float32Array, size: Size, method: (plane: Float32Array) => Float32Array): Float32Array {
  const area = areaOf(size), planes: Float32Array[] = [];
  for (let first = 0; first < image.length; first += area) planes.push(method(image.subarray(first, first + area)));
  const length = planes[0].length, all = new Float32Array(planes.length * length);
  planes.forEach((plane, channel) => all.set(plane, channel * length));
  return all;
}

/** Averages the training images of a class; values in [0, 1]. */
function meanImage({ train }: DataSet, label: number | undefined, size: Shape): Float64Array {
  const chosen = numbersOfClass(train.labels, label, train.images.count), mean = new Float64Array(lengthOf(size));
  const image = new Uint8Array(mean.length);
  for (const index of chosen) pad(train.images, index, size, image).forEach((grey, p) => mean[p] += grey);
  return mean.map((sum) => sum / 255 / chosen.length);
}

/** Keys' cubic kernel (a = -1/2) half-way between two pixels. */
const HALF_WAY = [-1 / 16, 9 / 16, 9 / 16, -1 / 16];

/**
 * Interpolates an image bicubically to twice the size; pixels repeat at the border. H keeps every second pixel from the first
 * on, so pixel (y, x) lies at (2y, 2x), and even pixels are copied. The usual alignment of pixel corners would shift the
 * result by half a pixel against the truth.
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

/** Blurs an image by a Gaussian of standard deviation `sigma` in pixels, cut off at 3 sigma; pixels repeat at the border. */
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

/** Replaces missing pixels, where `known`, height x width, is 0, by those of the mean image, in every channel. */
export function meanFill(
  image: ArrayLike<number>,
  known: ArrayLike<number>,
  mean: ArrayLike<number>,
): Float32Array {
  return Float32Array.from({ length: image.length }, (_, i) => known[i % known.length] > 0 ? image[i] : mean[i]);
}
