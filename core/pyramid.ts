/** The Gaussian pyramid (section "Building Example Dictionaries"): V^0 is the image, V^l = H V^(l-1). */
import type { Kernels } from "./kernels.ts";
import type { Images, Planes, Rows } from "./types.ts";

/** The training images of every layer in kernel memory. */
export interface TrainingPyramid {
  readonly count: number;
  /** HR images of layer l, l = 0 .. L-1. */
  readonly hr: readonly Rows[];
  /** LR images of layer l: V^(l+1), l = 0 .. L-1. */
  readonly lr: readonly Planes[];
}

/** Sides of X_0 .. X_L for images of side `size`: halved `depth` times. */
export function pyramidSizes(size: number, depth: number): number[] {
  return Array.from({ length: depth + 1 }, (_, l) => size / 2 ** l);
}

/**
 * Builds the pyramid of the `chosen` images (their numbers; all by default). Images smaller than the first size are padded
 * with zeros around. Throws where an image is larger than that. Allocates kernel memory and leaves it to the caller to free.
 */
export function trainingPyramid(
  kernels: Kernels,
  images: Images,
  sizes: readonly number[],
  chosen: ArrayLike<number> = range(images.count),
): TrainingPyramid {
  const count = chosen.length, depth = sizes.length - 1;
  const stride = Math.ceil(count / 16) * 16;
  const hr = sizes.slice(0, depth).map((size) => ({ count, size, at: kernels.allocate(count * size * size) }));
  const lr = sizes.slice(1).map((size) => ({ count, size, at: kernels.allocate(stride * size * size), stride }));
  const mark = kernels.mark();
  const seeds = { count, size: sizes[depth], at: kernels.allocate(count * sizes[depth] ** 2) };
  const scratch = sizes.map((size) => kernels.allocate(size * size * 4));
  const rows = [...hr, seeds];
  for (let i = 0; i < count; i++) {
    pad(images, chosen[i], sizes[0], kernels.u8(hr[0].at + i * sizes[0] ** 2, sizes[0] ** 2));
    kernels.toUnit(hr[0].at + i * sizes[0] ** 2, scratch[0], sizes[0] ** 2);
    for (let l = 1; l <= depth; l++) {
      kernels.down(scratch[l - 1], scratch[l], sizes[l - 1], 1);
      kernels.toBytes(scratch[l], rows[l].at + i * sizes[l] ** 2, sizes[l] ** 2);
    }
  }
  for (let l = 1; l <= depth; l++) kernels.toPlanes(rows[l].at, count, sizes[l] ** 2, lr[l - 1].at, stride);
  kernels.release(mark);
  return { count, hr, lr };
}

/** Seed images: the `chosen` images brought down to the last size. Returns `chosen.length` x size^2 values in [0, 1]. */
export function seedImages(
  kernels: Kernels,
  images: Images,
  sizes: readonly number[],
  chosen: ArrayLike<number>,
): Float32Array {
  const mark = kernels.mark(), depth = sizes.length - 1, pixels = sizes[depth] ** 2;
  const bytes = kernels.allocate(sizes[0] ** 2);
  const scratch = sizes.map((size) => kernels.allocate(size * size * 4));
  const seeds = new Float32Array(chosen.length * pixels);
  for (let i = 0; i < chosen.length; i++) {
    pad(images, chosen[i], sizes[0], kernels.u8(bytes, sizes[0] ** 2));
    kernels.toUnit(bytes, scratch[0], sizes[0] ** 2);
    for (let l = 1; l <= depth; l++) kernels.down(scratch[l - 1], scratch[l], sizes[l - 1], 1);
    seeds.set(kernels.f32(scratch[depth], pixels), i * pixels);
  }
  kernels.release(mark);
  return seeds;
}

/** Copies one image to the middle of a square of side `size`; the rest of `out` becomes 0. */
export function pad(images: Images, index: number, size: number, out: Uint8Array): Uint8Array {
  const { height, width, pixels } = images;
  if (height > size || width > size) {
    throw new Error(`Cannot use images of ${width}x${height} pixels: the profile's images are ${size}x${size}`);
  }
  const top = (size - height) >> 1, left = (size - width) >> 1, first = index * height * width;
  out.fill(0);
  for (let y = 0; y < height; y++) {
    out.set(pixels.subarray(first + y * width, first + (y + 1) * width), (top + y) * size + left);
  }
  return out;
}

/** 0 .. count-1. */
export function range(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i);
}
