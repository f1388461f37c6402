/** Scenes whose flow is known: smooth patterns that are drawn at any displacement. */
import type { Images } from "../../../core/types.ts";

/** A pattern of waves, at a place between pixels, too. */
export function pattern(y: number, x: number): number {
  return 128 + 45 * Math.sin(x / 5.1 + 0.9 * Math.sin(y / 9)) + 40 * Math.cos(y / 6.3 - x / 17) +
    20 * Math.sin((x + y) / 4);
}

/** Draws the pattern, moved by so many pixels. */
export function drawn(height: number, width: number, down: number, across: number): Uint8Array {
  return Uint8Array.from(
    { length: height * width },
    (_, p) => pattern(Math.floor(p / width) - down, p % width - across),
  );
}

/** Pixels without a pattern, the same every time. */
export function noise(length: number, seed = 1): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
}

/** Joins images to a set. */
export function setOf(images: readonly Uint8Array[], height: number, width: number): Images {
  const pixels = new Uint8Array(images.length * height * width);
  images.forEach((image, i) => pixels.set(image, i * height * width));
  return { count: images.length, height, width, pixels };
}
