/**
 * More vivid colours for the time in which images are made from noise. In photographs colours differ far less than light and dark do:
 * under the same noise they are decided last, when windows are small, and a face gets blotches of several colours.
 */
import type { Kernels } from "../../core/kernels.ts";
import { areaOf, lengthOf, type Shape } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";

/** Copies images to new kernel memory with their colours `factor` times as far from grey; the same rows for 1 and for grey images. */
export function saturatedRows(kernels: Kernels, rows: Rows, factor: number): Rows {
  if (factor === 1 || rows.channels === 1) return rows;
  const length = rows.count * lengthOf(rows), at = kernels.allocate(length);
  const pixels = kernels.u8(at, length);
  pixels.set(kernels.u8(rows.at, length));
  saturate(pixels, rows, factor);
  return { ...rows, at };
}

/**
 * Moves the colour of each pixel away from the grey of the same mean, in place: v becomes m + factor (v - m), as far as bytes go.
 *
 * @param pixels images of several channels, one after another: plane after plane of bytes
 * @param factor below 1: towards grey
 */
export function saturate(pixels: Uint8Array, shape: Shape & { readonly channels: number }, factor: number): void {
  const { channels } = shape, area = areaOf(shape), length = lengthOf(shape);
  if (factor === 1 || channels === 1) return;
  for (let image = 0; image < pixels.length; image += length) {
    for (let p = image; p < image + area; p++) {
      let sum = 0;
      for (let c = 0; c < channels; c++) sum += pixels[p + c * area];
      const mean = sum / channels;
      for (let c = 0; c < channels; c++) {
        const value = mean + factor * (pixels[p + c * area] - mean);
        pixels[p + c * area] = Math.min(Math.max(Math.floor(value + 0.5), 0), 255);
      }
    }
  }
}
