/** Measures of how close a restored image is to the truth. */
import type { Size } from "../../core/shape.ts";

/** PSNR of equal images in decibels, whose ratio would be infinite. */
const EQUAL = 99;
/** Side of the windows of SSIM. */
const WINDOW = 7;

/** Returns the peak signal-to-noise ratio of bytes in decibels: 10 log10(255^2 / mean squared error), at most 99. */
export function psnr(image: ArrayLike<number>, truth: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < truth.length; i++) sum += (image[i] - truth[i]) ** 2;
  return sum === 0 ? EQUAL : Math.min(10 * Math.log10(255 ** 2 * truth.length / sum), EQUAL);
}

/**
 * Returns the structural similarity of bytes (Wang, Bovik, Sheikh and Simoncelli, 2004), in (-1, 1]: the mean over all 7x7
 * windows inside the image, with equal weights within a window, and over the channels.
 */
export function ssim(image: ArrayLike<number>, truth: ArrayLike<number>, size: Size): number {
  const { height, width } = size, side = Math.min(WINDOW, height, width), count = side * side;
  const [a, b] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];
  const rows = truth.length / width;
  let total = 0, windows = 0;
  for (let top = 0; top + side <= rows; top++) {
    if (top % height + side > height) continue; // it would reach into the next channel
    for (let left = 0; left + side <= width; left++) {
      let x = 0, y = 0, xx = 0, yy = 0, xy = 0;
      for (let n = 0; n < count; n++) {
        const p = (top + Math.floor(n / side)) * width + left + n % side;
        x += image[p];
        y += truth[p];
        xx += image[p] ** 2;
        yy += truth[p] ** 2;
        xy += image[p] * truth[p];
      }
      const [mx, my] = [x / count, y / count];
      const [vx, vy, vxy] = [xx / count - mx * mx, yy / count - my * my, xy / count - mx * my];
      total += (2 * mx * my + a) * (2 * vxy + b) / ((mx * mx + my * my + a) * (vx + vy + b));
      windows++;
    }
  }
  return total / windows;
}

/** Returns the mean of images of bytes, rounded, and the standard deviation of each value, in levels of 0 to 255. */
export function meanAndDeviation(images: readonly Uint8Array[]): { mean: Uint8Array; deviation: Float64Array } {
  const mean = new Uint8Array(images[0].length), deviation = new Float64Array(mean.length);
  for (let p = 0; p < mean.length; p++) {
    const average = images.reduce((sum, image) => sum + image[p], 0) / images.length;
    mean[p] = Math.floor(average + 0.5);
    deviation[p] = Math.sqrt(images.reduce((sum, image) => sum + (image[p] - average) ** 2, 0) / images.length);
  }
  return { mean, deviation };
}
