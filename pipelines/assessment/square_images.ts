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
