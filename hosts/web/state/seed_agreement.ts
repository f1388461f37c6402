/** How much a picture follows the seed image that it was made from. */
import { areaOf, type Shape } from "../../../core/shape.ts";

/** A picture of bytes, channel by channel. */
export interface ShapedPicture {
  readonly shape: Shape;
  readonly pixels: Uint8Array;
}

/**
 * Computes the correlation of a seed image with the means of a picture over the seed image's pixels, in [-1, 1]: 1 if the picture,
 * reduced, is the seed image at another contrast. 1 for a seed image of one level, which asks for nothing.
 */
export function seedAgreement(seed: ShapedPicture, made: ShapedPicture): number {
  const { height, width } = seed.shape, area = areaOf(seed.shape), inMade = areaOf(made.shape);
  const down = made.shape.height / height, across = made.shape.width / width;
  const means = new Float64Array(seed.pixels.length);
  made.pixels.forEach((value, v) => {
    const channel = Math.floor(v / inMade), p = v % inMade;
    const y = Math.floor(Math.floor(p / made.shape.width) / down), x = Math.floor(p % made.shape.width / across);
    means[channel * area + y * width + x] += value;
  });
  return correlation(seed.pixels, means);
}

function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [inA, inB] = [a, b].map((values) => {
    const mean = Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
    return Array.from(values, (value) => value - mean);
  });
  const product = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * y[i], 0);
  const scale = Math.sqrt(product(inA, inA) * product(inB, inB));
  return product(inA, inA) === 0 ? 1 : scale === 0 ? 0 : product(inA, inB) / scale;
}
