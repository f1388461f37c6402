/** Gathers patches as rows of bytes from the planes that the kernels search: the same input for every program. */
import type { Planes } from "../core/types.ts";

/** `count` examples and some queries of `dimensions` bytes each, one after another. */
export interface Patches {
  readonly count: number;
  readonly dimensions: number;
  readonly base: Uint8Array;
  readonly queries: Uint8Array;
}

/** A patch at a place: the offsets of its pixels, and the offsets of the places that are examples. */
export interface PatchPlace {
  readonly y: number;
  readonly x: number;
  readonly pixels: readonly { dx: number; dy: number }[];
  readonly offsets: readonly { dx: number; dy: number }[];
}

/** Gathers the patches of all images at a place, one offset after another. `memory` is all of the kernel memory. */
export function patchesAt(memory: Uint8Array, planes: Planes, { y, x, pixels, offsets }: PatchPlace): Patches {
  const { count, width, at, stride } = planes, dimensions = pixels.length;
  const base = new Uint8Array(count * offsets.length * dimensions);
  offsets.forEach((offset, segment) => {
    pixels.forEach(({ dx, dy }, p) => {
      const plane = at + ((y + offset.dy + dy) * width + x + offset.dx + dx) * stride;
      for (let i = 0; i < count; i++) base[(segment * count + i) * dimensions + p] = memory[plane + i];
    });
  });
  return { count: count * offsets.length, dimensions, base, queries: new Uint8Array() };
}
