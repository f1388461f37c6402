/** Images of different sizes as overlapping crops of one size, which training images need to have. */
import { lengthOf, type Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";

/** A part of an image: the image's number, and the part's first pixel in it. */
export interface Crop {
  /** Number of the image. */
  readonly image: number;
  /** Row of the first pixel. */
  readonly y: number;
  /** Column of the first pixel. */
  readonly x: number;
}

/** The least height and the least width of images. */
export function smallest(images: readonly Size[]): Size {
  const least = (a: Size, b: Size) => ({ height: Math.min(a.height, b.height), width: Math.min(a.width, b.width) });
  const { height, width } = images.reduce(least);
  return { height, width };
}

/**
 * Crops of one size that cover images none of which is smaller; an image of that size is one crop. Neighbours overlap by so many
 * pixels at least, or by half their side, where that is less: what is no larger lies in one of them as a whole.
 */
export function cropsOf(images: readonly Size[], size: Size, overlap: number): Crop[] {
  return images.flatMap(({ height, width }, image) => {
    const left = starts(width, size.width, overlap);
    return starts(height, size.height, overlap).flatMap((y) => left.map((x) => ({ image, y, x })));
  });
}

/** Where crops of `side` pixels begin in a line of `length`: the same way apart, as far as pixels allow. */
function starts(length: number, side: number, overlap: number): number[] {
  const free = length - side, steps = Math.ceil(free / (side - Math.min(overlap, side >> 1)));
  return Array.from({ length: steps + 1 }, (_, k) => steps && Math.floor(k * free / steps));
}

/** Cuts crops out of images, of which each is one, all of them with the same channels. */
export function cutOut(images: readonly Images[], crops: readonly Crop[], { height, width }: Size): Images {
  const { channels } = images[0], length = lengthOf({ height, width, channels }), rows = length / width;
  const pixels = new Uint8Array(crops.length * length);
  crops.forEach(({ image, y, x }, n) => {
    const whole = images[image];
    for (let row = 0; row < rows; row++) { // of one channel after another
      const from = (Math.floor(row / height) * whole.height + y + row % height) * whole.width + x;
      pixels.set(whole.pixels.subarray(from, from + width), n * length + row * width);
    }
  });
  return { count: crops.length, height, width, ...channels && { channels }, pixels };
}
