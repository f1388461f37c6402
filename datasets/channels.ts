import { areaOf } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import { luma } from "./formats/colour.ts";

/** Images with one channel (grey) or three (colour): colours become their brightness, greys three equal channels. */
export function withChannels(images: Images, channels: 1 | 3): Images {
  const { count, channels: own = 1, pixels } = images;
  const area = areaOf(images);
  if (own === channels) return images;
  const out = new Uint8Array(count * channels * area);
  for (let i = 0; i < count; i++) {
    for (let p = 0; p < area; p++) {
      const from = i * own * area + p;
      const to = i * channels * area + p;
      if (channels === 1) out[to] = Math.round(luma(pixels[from], pixels[from + area], pixels[from + 2 * area]));
      else out[to] = out[to + area] = out[to + 2 * area] = pixels[from];
    }
  }
  return { ...images, channels, pixels: out };
}

/** Whether images are in colour: of three channels that are not all the same. */
export function isColourful(images: Images): boolean {
  const { count, channels = 1, pixels } = images, area = areaOf(images);
  if (channels === 1) return false;
  for (let i = 0; i < count; i++) {
    for (let p = i * channels * area; p < (i * channels + 1) * area; p++) {
      if (pixels[p] !== pixels[p + area] || pixels[p] !== pixels[p + 2 * area]) return true;
    }
  }
  return false;
}
