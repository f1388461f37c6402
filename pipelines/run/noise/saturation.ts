/**
 * More vivid colours for the time in which images are made from noise. In photographs colours differ far less than light and dark do:
 * under the same noise they are decided last, when windows are small, and a face gets blotches of several colours.
 */
import type { Kernels } from "../../../core/kernels.ts";
import { gather } from "../../../core/nearest.ts";
import { range } from "../../../core/numbers.ts";
import { areaOf, lengthOf, type Shape } from "../../../core/shape.ts";
import type { Rows } from "../../../core/types.ts";

/** Copies images to new kernel memory with more vivid colours (`saturate`); the same rows for 1 and for grey images. */
export function saturatedRows(kernels: Kernels, rows: Rows, factor: number): Rows {
  if (factor === 1 || rows.channels === 1) return rows;
  const vivid = gather(kernels, rows, range(rows.count));
  saturate(kernels.u8(vivid.at, rows.count * lengthOf(rows)), rows, factor);
  return vivid;
}

/**
 * Moves the colour of each pixel away from the grey of the same mean m, in place. With t the part of the way from grey, t = 0, to the
 * most vivid colour of its hue that bytes hold, t = 1, v becomes m + (v - m) g(t) / t:
 *
 *   g(t) = factor t for t <= 1 / (factor + 1), 1 - (1 - t) / factor above.
 *
 * The factor 1 / `factor` is the inverse, up to rounding: light stays, and no colour is cut off.
 *
 * @param pixels images of several channels, one after another: plane after plane of bytes
 * @param factor above 0; below 1: towards grey
 */
export function saturate(pixels: Uint8Array, shape: Shape & { readonly channels: number }, factor: number): void {
  const { channels } = shape, area = areaOf(shape), length = lengthOf(shape);
  if (factor === 1 || channels === 1) return;
  for (let image = 0; image < pixels.length; image += length) {
    for (let p = image; p < image + area; p++) {
      let sum = 0;
      for (let c = 0; c < channels; c++) sum += pixels[p + c * area];
      const mean = sum / channels;
      let part = 0;
      for (let c = 0; c < channels; c++) {
        const away = pixels[p + c * area] - mean;
        if (away !== 0) part = Math.max(part, away > 0 ? away / (255 - mean) : -away / mean);
      }
      if (part === 0) continue;
      const stretch = (part * (factor + 1) <= 1 ? factor * part : 1 - (1 - part) / factor) / part;
      for (let c = 0; c < channels; c++) {
        const value = mean + stretch * (pixels[p + c * area] - mean);
        pixels[p + c * area] = Math.min(Math.max(Math.floor(value + 0.5), 0), 255);
      }
    }
  }
}
