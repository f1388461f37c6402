/** Patches as rows of bytes, gathered from the planes that the engine searches: the same input for every program. */
import type { Planes } from "../core/types.ts";

/** `count` examples and some queries of `dimensions` bytes each, row after row. */
export interface Patches {
  readonly count: number;
  readonly dimensions: number;
  readonly base: Uint8Array;
  readonly queries: Uint8Array;
}

/** Pixels of a patch from its place, and the places around it that are examples too. */
export interface PatchPlace {
  readonly y: number;
  readonly x: number;
  readonly pixels: readonly { dx: number; dy: number }[];
  readonly offsets: readonly { dx: number; dy: number }[];
}

/** Gathers the patches of all images at a place, offset after offset. `memory` is all of the kernel memory. */
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
