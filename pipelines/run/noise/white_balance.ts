/**
 * One tone for all training images while images are made from noise. Lamps and cameras give photographs a tone each: windows that
 * find one photograph in the left half of a face and another one in the right half would make halves of two tones.
 */
import { borrowing, type Kernels } from "../../../core/kernels.ts";
import type { Region } from "../../../core/metric.ts";
import { gather, nearestIn, rowsOf } from "../../../core/nearest.ts";
import { range } from "../../../core/numbers.ts";
import type { PlanNoise } from "../../../core/plan.ts";
import { areaOf, lengthOf, type Shape } from "../../../core/shape.ts";
import { regionRows } from "../../../core/structure.ts";
import type { Rows } from "../../../core/types.ts";
import { boxAround } from "./halves.ts";
import { saturate, saturatedRows } from "./saturation.ts";

/** Training images with the colours that images from noise are made with. */
export interface WorkingColours {
  /** In kernel memory; the training images themselves where `noise` changes no colours. */
  readonly rows: Rows;
  /** Whether colours depend on all training images. */
  readonly areBalanced: boolean;
  /** Gives finished images, one after another, the colours of photographs, in place. */
  restore(pixels: Uint8Array): void;
}

/**
 * Changes the colours of training images as `noise` asks. With `whiteBalance` each gets the mean tone of all; a finished image gets
 * the tone of the training image that lies nearest to it, in the changed colours. Then `saturation` makes colours more vivid.
 *
 * @param regions those of the plan: the tone is that of the box around them
 */
export function workingColours(
  kernels: Kernels,
  training: Rows,
  noise: Pick<PlanNoise, "saturation" | "whiteBalance">,
  regions?: readonly Region[],
): WorkingColours {
  const { saturation, whiteBalance } = noise, areBalanced = whiteBalance && training.channels > 1;
  const tones = areBalanced ? tonesOf(kernels, training, boxAround(regions ?? [])) : [];
  const mean = meanOf(tones), away = tones.map((tone) => tone.map((part, c) => part - mean[c]));
  const balanced = areBalanced ? gather(kernels, training, range(training.count)) : training,
    length = lengthOf(training);
  away.forEach((tone, n) => addTone(kernels.u8(balanced.at + n * length, length), training, tone, -1));
  const rows = saturatedRows(kernels, balanced, saturation);
  const restore = (pixels: Uint8Array) => {
    const nearest = areBalanced ? nearestOf(kernels, rows, pixels) : [];
    saturate(pixels, training, 1 / saturation);
    nearest.forEach((number, n) => addTone(pixels.subarray(n * length, (n + 1) * length), training, away[number], 1));
  };
  return { rows, areBalanced, restore };
}

/**
 * Adds a tone to an image, in place: c of each channel becomes c + sign m tone_c, where m is the mean of the pixel's channels. Black
 * stays black, and the light of each pixel stays, except where bytes end.
 *
 * @param tone a part of light for each channel, with sum 0
 */
export function addTone(
  image: Uint8Array,
  shape: Shape & { readonly channels: number },
  tone: readonly number[],
  sign: 1 | -1,
): void {
  const { channels } = shape, area = areaOf(shape);
  for (let p = 0; p < area; p++) {
    let sum = 0;
    for (let c = 0; c < channels; c++) sum += image[p + c * area];
    const light = sign * sum / channels;
    for (let c = 0; c < channels; c++) {
      const value = image[p + c * area] + light * tone[c];
      image[p + c * area] = Math.min(Math.max(Math.floor(value + 0.5), 0), 255);
    }
  }
}

/** The tone of each image inside a region: how far the mean of each channel is from the mean of all channels, over that mean. */
export function tonesOf(kernels: Kernels, rows: Rows, region: Region): number[][] {
  return borrowing(kernels, () => {
    const box = regionRows(kernels, rows, region), area = areaOf(box), { channels } = rows;
    return Array.from({ length: rows.count }, (_, n) => {
      const sums = Array.from({ length: channels }, (_, c) => {
        return kernels.u8(box.at + (n * channels + c) * area, area).reduce((sum, value) => sum + value, 0);
      });
      const light = sums.reduce((sum, value) => sum + value, 0) / channels;
      return sums.map((sum) => light > 0 ? (sum - light) / light : 0);
    });
  });
}

/** The mean tone. */
function meanOf(tones: readonly (readonly number[])[]): number[] {
  const sums = tones[0]?.map((_, c) => tones.reduce((sum, tone) => sum + tone[c], 0)) ?? [];
  return sums.map((sum) => sum / tones.length);
}

/** The number of the nearest of some images to each of others. */
function nearestOf(kernels: Kernels, rows: Rows, pixels: Uint8Array): number[] {
  return borrowing(kernels, () => {
    const queries = rowsOf(kernels, { ...rows, count: pixels.length / lengthOf(rows), pixels });
    return Array.from(nearestIn(kernels, queries, rows).index);
  });
}
