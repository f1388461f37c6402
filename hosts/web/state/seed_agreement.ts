/** How much a picture follows the seed image that it was made from. */
import { areaOf, type Shape } from "../../../core/shape.ts";
import type { Colour } from "../../../datasets/formats/colour.ts";

/** A picture of bytes, channel by channel. */
export interface ShapedPicture {
  readonly shape: Shape;
  readonly pixels: Uint8Array;
}

/** How much a picture follows a seed image. */
export interface Agreement {
  /**
   * The correlation of the seed image with the means of the picture over the seed image's pixels, in [-1, 1]: 1 if the picture, reduced,
   * is the seed image at another contrast. 1 for a seed image of one level, which asks for nothing.
   */
  readonly levels: number;
  /**
   * The cosine between the colours of the seed image and those of the picture, each less its grey, in [-1, 1]: 1 if all hues are the
   * same, -1 if all are opposite. 1 of grey pictures and where the seed image is nearly grey.
   */
  readonly colours: number;
}

/** Below this mean distance from grey in grey levels, a seed image asks for no colour. */
const GREY = 8;

/** The part of a seed pixel that has to be opaque for its colour to count. */
const OPAQUE = 0.5;

/**
 * Computes how much a picture follows a seed image.
 *
 * @param transparent the colour that stands for transparent pixels: it counts for the levels, not for the colours
 */
export function seedAgreement(seed: ShapedPicture, made: ShapedPicture, transparent?: Colour): Agreement {
  const { height, width, channels = 1 } = seed.shape, area = areaOf(seed.shape), inMade = areaOf(made.shape);
  const down = made.shape.height / height, across = made.shape.width / width, perSquare = down * across;
  const sums = new Float64Array(seed.pixels.length), clear = new Float64Array(area);
  for (let p = 0; p < inMade; p++) {
    const y = Math.floor(Math.floor(p / made.shape.width) / down), x = Math.floor(p % made.shape.width / across);
    const square = y * width + x;
    for (let c = 0; c < channels; c++) sums[c * area + square] += made.pixels[p + c * inMade];
    if (transparent?.every((value, c) => made.pixels[p + c * inMade] === value)) clear[square]++;
  }
  const means = sums.map((sum) => sum / perSquare);
  const levels = correlation(seed.pixels, means);
  if (channels !== 3) return { levels, colours: 1 };
  const opaque = Array.from(clear, (count) => 1 - count / perSquare);
  return {
    levels,
    colours: colourAgreement(huesOf(seed.pixels, opaque, transparent), huesOf(means, opaque, transparent)),
  };
}

/** The smaller part of an agreement. */
export function leastOf({ levels, colours }: Agreement): number {
  return Math.min(levels, colours);
}

/** The colours of squares less their greys, of those that are opaque. `opaque`: the opaque part of each square. */
function huesOf(planes: ArrayLike<number>, opaque: readonly number[], transparent: Colour | undefined): number[] {
  const { length: area } = opaque;
  return opaque.flatMap((part, square) => {
    if (part < OPAQUE) return [];
    const colour = [0, 1, 2].map((c) => {
      return (planes[square + c * area] - (1 - part) * (transparent?.[c] ?? 0)) / part;
    });
    const grey = (colour[0] + colour[1] + colour[2]) / 3;
    return colour.map((value) => value - grey);
  });
}

function colourAgreement(seed: readonly number[], made: readonly number[]): number {
  const [inSeed, inMade] = [productOf(seed, seed), productOf(made, made)];
  if (Math.sqrt(3 * inSeed / Math.max(1, seed.length)) < GREY) return 1;
  return inMade === 0 ? 0 : productOf(seed, made) / Math.sqrt(inSeed * inMade);
}

function productOf(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, i) => sum + value * other[i], 0);
}

function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [inA, inB] = [a, b].map((values) => {
    const mean = Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
    return Array.from(values, (value) => value - mean);
  });
  const scale = Math.sqrt(productOf(inA, inA) * productOf(inB, inB));
  return productOf(inA, inA) === 0 ? 1 : scale === 0 ? 0 : productOf(inA, inB) / scale;
}
