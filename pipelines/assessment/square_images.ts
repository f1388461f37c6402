/** Images as metrics take them: squares of one size, one after another. */
import { pad } from "../../core/pyramid.ts";
import { squareOf } from "../../core/shape.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";

/** Grey square images, plain data that can be posted to a worker. */
export interface SquareImages {
  readonly count: number;
  /** Side in pixels. */
  readonly size: number;
  /** `count` x `size` x `size` bytes. */
  readonly pixels: Uint8Array;
}

/** Takes the chosen images, padded to squares of side `size`. */
export function squareImages({ images }: LabelledImages, chosen: ArrayLike<number>, size: number): SquareImages {
  const area = size * size, pixels = new Uint8Array(chosen.length * area);
  for (let i = 0; i < chosen.length; i++) {
    pad(images, chosen[i], squareOf(size), pixels.subarray(i * area, (i + 1) * area));
  }
  return { count: chosen.length, size, pixels };
}

/** Halves images, averaging four pixels to one, until their side is at most `most` or odd. */
export function reduced(images: SquareImages, most: number): SquareImages {
  const { count, size, pixels } = images;
  if (size <= most || size % 2 !== 0) return images;
  const side = size / 2, half = new Uint8Array(count * side * side);
  for (let p = 0; p < half.length; p++) {
    const first = 2 * size * Math.floor(p / side) + 2 * (p % side);
    half[p] = (pixels[first] + pixels[first + 1] + pixels[first + size] + pixels[first + size + 1] + 2) >> 2;
  }
  return reduced({ count, size: side, pixels: half }, most);
}

/** Returns each image as a vector of `size` x `size` values in [0, 1]. */
export function unitVectors({ count, size, pixels }: SquareImages): Float32Array[] {
  const area = size * size;
  return Array.from(
    { length: count },
    (_, i) => Float32Array.from(pixels.subarray(i * area, (i + 1) * area), (value) => value / 255),
  );
}

/** Returns the indices of at most `limit` of `count` items, evenly spaced. */
export function evenlySpaced(count: number, limit: number): Uint32Array {
  const taken = Math.min(limit, count);
  return Uint32Array.from({ length: taken }, (_, i) => Math.floor(i * count / taken));
}
