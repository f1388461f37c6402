/**
 * Brings degraded images, with holes and noise, down the pyramid, so that each layer of the synthesis has observations. A
 * coarse pixel is the mean of the known pixels below it, with the weights of H.
 */
import type { Kernels } from "../../core/kernels.ts";
import { areaOf, type Size } from "../../core/shape.ts";
import type { Observations } from "../../core/types.ts";

/** Degraded images: some of their pixels are known, with noise. Each channel of a colour image counts as an image. */
export interface DegradedImages {
  /** Number of images, or of channels of all images. */
  readonly count: number;
  /** `count` x height x width values in about [0, 1]; values at unknown pixels are ignored. */
  readonly values: Float32Array;
  /** height x width: 1 where a pixel is known, 0 where it is missing; the same for all images. */
  readonly known: Float32Array;
  /** Standard deviation of the noise of a pixel, >= 0. */
  readonly noise: number;
}

/** The observations of images of one size. */
export interface ObservedLevel {
  /** `count` x height x width values; 0 where nothing is known. */
  readonly values: Float32Array;
  /** height x width: the variance of a value about the truth; Infinity where nothing is known. */
  readonly variances: Float64Array;
}

/**
 * Variance of the difference between a half known coarse pixel and the mean of its known part, of the order of the variance
 * of MNIST's pixels, 0.1. It sets how fast trust falls with the missing part.
 */
const MISSING = 0.1;

/** Returns the observations of the levels X_0 .. X_L of degraded images. Kernel memory is given back. */
export function observedPyramid(kernels: Kernels, sizes: readonly Size[], degraded: DegradedImages): ObservedLevel[] {
  const { count, values, known, noise } = degraded, mark = kernels.mark(), pixels = areaOf(sizes[0]);
  const masked = values.map((value, i) => known[i % pixels] > 0 ? value : 0);
  const levels = sizes.map((_, l): ObservedLevel => {
    const sums = bringDown(kernels, masked, count, sizes, l), parts = bringDown(kernels, known, 1, sizes, l);
    const area = parts.length, left = noiseLeft(kernels, sizes, l);
    return {
      values: sums.map((sum, i) => parts[i % area] > 0 ? sum / parts[i % area] : 0),
      variances: Float64Array.from(parts, (part) => {
        if (part === 0) return Infinity;
        return (noise * noise * left + MISSING * Math.max(1 - part, 0)) / part;
      }),
    };
  });
  kernels.release(mark);
  return levels;
}

/** Returns the observations of a level for the X-step: weights are one over variances. */
export function observationsOf({ values, variances }: ObservedLevel): Observations {
  return { values, weights: Float32Array.from(values, (_, i) => 1 / variances[i % variances.length]) };
}

/** Applies H `levels` times. */
function bringDown(kernels: Kernels, images: Float32Array, count: number, sizes: readonly Size[], levels: number) {
  const mark = kernels.mark(), scratch = sizes.map((size) => kernels.allocate(count * areaOf(size) * 4));
  kernels.f32(scratch[0], images.length).set(images);
  for (let l = 0; l < levels; l++) {
    kernels.down(scratch[l], scratch[l + 1], sizes[l].height, sizes[l].width, count);
  }
  const result = kernels.f32(scratch[levels], count * areaOf(sizes[levels])).slice();
  kernels.release(mark);
  return result;
}

/** Returns the part of the variance of independent noise that is left in the middle of level `l`: the sum of squares of a row of H^l. */
function noiseLeft(kernels: Kernels, sizes: readonly Size[], l: number): number {
  const mark = kernels.mark(), scratch = sizes.map((size) => kernels.allocate(areaOf(size) * 4));
  const { height, width } = sizes[l], row = kernels.f32(scratch[l], height * width);
  row[Math.floor(height / 2) * width + Math.floor(width / 2)] = 1;
  for (let from = l; from > 0; from--) {
    kernels.downTransposed(scratch[from], scratch[from - 1], sizes[from - 1].height, sizes[from - 1].width, 1);
  }
  const left = kernels.f32(scratch[0], areaOf(sizes[0])).reduce((sum, weight) => sum + weight * weight, 0);
  kernels.release(mark);
  return left;
}
