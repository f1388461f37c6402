/** Cuts images of different sizes into overlapping crops of one size, since training images must have one size. */
import { lengthOf, type Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";

/** A crop of an image. */
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
 * Crops of one size that cover images; an image of that size is one crop.
 *
 * @param images sizes of at least `size`
 * @param overlap the least overlap of neighbouring crops in pixels, at most half their side: anything of up to that size lies
 * in one of the crops as a whole
 */
export function cropsOf(images: readonly Size[], size: Size, overlap: number): Crop[] {
  return images.flatMap(({ height, width }, image) => {
    const left = starts(width, size.width, overlap);
    return starts(height, size.height, overlap).flatMap((y) => left.map((x) => ({ image, y, x })));
  });
}

/** First pixels of crops of `side` pixels in a line of `length`, spaced as evenly as whole pixels allow. */
function starts(length: number, side: number, overlap: number): number[] {
  const free = length - side;
  const steps = Math.ceil(free / (side - Math.min(overlap, side >> 1)));
  return Array.from({ length: steps + 1 }, (_, k) => steps && Math.floor(k * free / steps));
}

/** Cuts crops out of images. Each of `images` is a set of one image; all have the same channels. */
export function cutOut(images: readonly Images[], crops: readonly Crop[], { height, width }: Size): Images {
  const { channels } = images[0];
  const length = lengthOf({ height, width, channels });
  const rows = length / width;
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
