/** What tells pixels of exemplars apart beyond their colours: whether lines or spots are near. */
import { areaOf } from "../../core/shape.ts";
import type { Exemplars } from "./exemplars.ts";

/** How much both features count, beside the brightness. */
const WEIGHT = 1;

/**
 * Adds two channels: how much darker than around it, and how much brighter, a pixel and those near it are. The ends of a crack or of
 * a stalk then differ from stone or fruit in a whole region, not in the few pixels that are dark: boundaries that would cut it avoid it
 * (after the feature distances of Lefebvre and Hoppe, "Appearance-space texture synthesis", 2006).
 *
 * @param reach how far "around" is, in pixels; at least 1
 */
export function withFeatures(exemplars: Exemplars, reach: number): Exemplars {
  const { count, channels, height, width, values } = exemplars, area = areaOf(exemplars);
  const out = new Float32Array(count * (channels + 2) * area), near = Math.max(1, reach >> 1);
  for (let image = 0; image < count; image++) {
    const brightness = new Float64Array(area);
    for (let i = 0; i < channels * area; i++) brightness[i % area] += values[image * channels * area + i] / channels;
    const around = blurred(brightness, height, width, reach),
      scale = WEIGHT * Math.sqrt(channels * varianceOf(brightness));
    const first = image * (channels + 2) * area;
    out.set(values.subarray(image * channels * area, (image + 1) * channels * area), first);
    for (const [f, sign] of [1, -1].entries()) {
      const detail = brightness.map((value, p) => Math.max(0, sign * (value - around[p])));
      const feature = blurred(detail, height, width, near), spread = Math.sqrt(varianceOf(feature));
      const gain = spread > 0 ? scale / spread : 0;
      for (let p = 0; p < area; p++) out[first + (channels + f) * area + p] = gain * feature[p];
    }
  }
  return { count, channels: channels + 2, height, width, values: out };
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** The mean of the pixels up to `reach` pixels away along both axes, as far as they lie in the image. */
function blurred(values: Float64Array, height: number, width: number, reach: number): Float64Array {
  return blurredAlong(blurredAlong(values, height, width, width, 1, reach), width, height, 1, width, reach);
}

function blurredAlong(
  values: Float64Array,
  lines: number,
  length: number,
  line: number,
  step: number,
  reach: number,
): Float64Array {
  const out = new Float64Array(values.length), sums = new Float64Array(length + 1);
  for (let l = 0; l < lines; l++) {
    for (let i = 0; i < length; i++) sums[i + 1] = sums[i] + values[l * line + i * step];
    for (let i = 0; i < length; i++) {
      const from = Math.max(0, i - reach), end = Math.min(length, i + reach + 1);
      out[l * line + i * step] = (sums[end] - sums[from]) / (end - from);
    }
  }
  return out;
}
