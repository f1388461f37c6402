/** What spoils images, to be restored: a mask or noise. (The third way, H, is the pyramid's own.) */
import type { Kernels } from "../../core/kernels.ts";
import { stream } from "../../core/random.ts";
import { areaOf, type Size } from "../../core/shape.ts";
import { normals } from "../../core/normals.ts";

/** Names the stream of random numbers that noise is made of. */
const NOISE_STREAM = 0x6e6f6973;

/** Masks by name: whether a pixel is missing, by its row and column as parts of the sides. */
const MASKS: Readonly<Record<string, (row: number, column: number) => boolean>> = {
  quarter: (row, column) => row >= 0.5 && column >= 0.5,
  half: (row) => row >= 0.5,
  center: (row, column) => row >= 0.25 && row < 0.75 && column >= 0.25 && column < 0.75,
};

/** The names of masks: the quarter at the lower right, the lower half, the middle of half the sides. */
export const maskNames = Object.keys(MASKS);

/** A mask of that name: 1 where a pixel is known, 0 where it is missing. */
export function maskOf(name: string, { height, width }: Size): Float32Array {
  return Float32Array.from({ length: height * width }, (_, p) => {
    return MASKS[name](Math.floor(p / width) / height, p % width / width) ? 0 : 1;
  });
}

/** Adds normal noise to image number `image`: values in [0, 1], which may leave it then. */
export function withNoise(
  kernels: Kernels,
  values: ArrayLike<number>,
  size: Size,
  { noise, seed, image }: { noise: number; seed: number; image: number },
): Float32Array {
  const normal = normals(kernels, stream(seed, NOISE_STREAM, image), areaOf(size));
  return Float32Array.from(normal, (n, p) => values[p] + noise * n);
}
