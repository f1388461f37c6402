/** Shows an image that tiles beside itself, so that a seam can be seen. */
import { lengthOf, type Shape } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";

/**
 * Repeats an image once in each direction in which it tiles.
 *
 * @param pixels channels x height x width bytes
 * @returns an image of twice the width, twice the height, or both
 */
export function repeatedImage<S extends Shape>(
  shape: S,
  pixels: Uint8Array,
  tile: Tile,
): { shape: S; pixels: Uint8Array } {
  const { height, width } = shape, rows = pixels.length / width;
  const wide = { ...shape, height: tile === "x" ? height : 2 * height, width: tile === "y" ? width : 2 * width };
  const out = new Uint8Array(lengthOf({ ...wide, channels: rows / height }));
  for (let row = 0; row < out.length / wide.width; row++) {
    const channel = Math.floor(row / wide.height), from = (channel * height + row % wide.height % height) * width;
    for (let x = 0; x < wide.width; x += width) out.set(pixels.subarray(from, from + width), row * wide.width + x);
  }
  return { shape: wide, pixels: out };
}
