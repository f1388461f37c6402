/** The contract of denoisers: what they are fitted to, what they are given, and what they give back. */
import type { Kernels } from "./kernels.ts";
import type { NoiseLevel } from "./schedule.ts";
import type { Shape } from "./shape.ts";
import type { RandomNumbers, Rows } from "./types.ts";

/** All that a denoiser is fitted to. */
export interface DenoiserData {
  /** The training images, of the size of the images to synthesize. A byte v stands for the value x = 2 v / 255 - 1 in [-1, 1]. */
  readonly training: Rows;
  /** The most images that are denoised together. */
  readonly batch: number;
  /** The noise levels at which images will be denoised, most noise first. */
  readonly levels: readonly NoiseLevel[];
  /** The kernels over the memory that holds the training images. */
  readonly kernels: Kernels;
}

/** A batch of noisy images. */
export interface Noisy {
  /** Number of images. */
  readonly batch: number;
  /** x_t: `batch` x channels x height x width, in kernel memory (`byteOffset` is the address). */
  readonly images: Float32Array;
  /** The random numbers of this step. A denoiser that estimates a mean needs none. */
  readonly random: RandomNumbers;
}

/** What a denoiser fills. */
export interface Denoised {
  /** x̂, the estimates of x_0: `batch` x channels x height x width, about [-1, 1], in kernel memory. All values must be written. */
  readonly images: Float32Array;
}

/** A pixel of one image of a batch. */
export interface BatchPixel {
  /** Number of the image in the batch. */
  readonly image: number;
  /** Row. */
  readonly y: number;
  /** Column. */
  readonly x: number;
}

/** A denoiser before it has seen images. */
export interface Denoiser {
  /**
   * Fits the denoiser to the training images of one class, or of all. All the kernel memory that `denoise` works in is allocated
   * here; the caller frees it.
   */
  fit(data: DenoiserData): FittedDenoiser;
  /**
   * Estimates the work of one step on one image of `shape`, with `count` training images, before anything runs: one core does some
   * 10^10 comparisons a second. Servers refuse requests of too much work. By default each pixel's window is compared with that of
   * each training image.
   */
  stepWork?(count: number, shape: Shape): number;
}

/** A denoiser of one set of training images. */
export interface FittedDenoiser {
  /**
   * Estimates x_0 of each image of a batch from x_t = sqrt(a) x_0 + sqrt(1 - a) eps: x̂ = E[x_0 | x_t] under the denoiser's model
   * of images. An image's estimate depends on no other image of the batch. Kernel memory must not grow.
   */
  denoise(noisy: Noisy, noise: NoiseLevel, out: Denoised): void;
  /**
   * For denoisers whose x̂ is a weighted mean of training images: writes how much each of them counts in a pixel of x̂, `out` has
   * a number for each training image. The weights sum to 1 and are the same for all channels. Unless training images are moved, or
   * one of them is drawn, the pixel is the sum of weight times the same pixel of the training image.
   */
  weights?(noisy: Noisy, noise: NoiseLevel, pixel: BatchPixel, out: Float64Array): void;
  /**
   * For denoisers that know them: names all training images that the last estimate of image number `image` of the batch depended on.
   * Without any of the others not a bit of it would be different. Without this function, it depends on all.
   */
  compared?(image: number, name: (source: number) => void): void;
  /** Frees what is not kernel memory. The caller of `fit` calls it at the end; a second call does nothing. */
  dispose?(): void;
}
