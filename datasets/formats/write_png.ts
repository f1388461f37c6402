import { encode } from "fast-png";
import type { Shape, Size } from "../../core/shape.ts";
import type { Colour } from "./colour.ts";
import type { Samples } from "./png.ts";

/** An RGB picture, 3 bytes a pixel. */
export interface Picture {
  /** Columns of pixels. */
  readonly width: number;
  /** Rows of pixels. */
  readonly height: number;
  /** Red, green and blue of each pixel, row by row, 0 to 255. */
  readonly data: Uint8Array;
}

/** A grey or RGB picture as the bytes of a PNG file; equal pictures give equal bytes. */
export function png(
  picture: Picture | { width: number; height: number; data: Uint8Array; grey: true },
): Uint8Array<ArrayBuffer> {
  const { width, height, data } = picture;
  return encode({ width, height, channels: "grey" in picture ? 1 : 3, data }) as Uint8Array<ArrayBuffer>;
}

/** Samples of 8 or 16 bits as the bytes of a PNG file. */
export function samplesPng({ width, height, channels, depth, data }: Samples): Uint8Array<ArrayBuffer> {
  return encode({ width, height, channels, depth, data }) as Uint8Array<ArrayBuffer>;
}

/** A colour image, channel by channel, as the bytes of a PNG file in which the pixels of one colour are transparent. */
export function transparentPng(
  { height, width }: Size,
  pixels: Uint8Array,
  transparent: Colour,
): Uint8Array<ArrayBuffer> {
  const area = height * width;
  const data = new Uint8Array(4 * area);
  for (let p = 0; p < area; p++) {
    const colour = [pixels[p], pixels[area + p], pixels[2 * area + p]];
    if (colour.some((value, channel) => value !== transparent[channel])) data.set([...colour, 255], 4 * p);
  }
  return encode({ width, height, channels: 4, data }) as Uint8Array<ArrayBuffer>;
}

/**
 * A colour image that was composited on a background, channel by channel, as the bytes of a PNG file with the colours that it had
 * before: c = (composited - (1 - alpha) background) / alpha.
 *
 * @param alpha how opaque each pixel is, 0..255; what is wholly transparent becomes black
 */
export function alphaPng(
  { height, width, pixels }: Size & { readonly pixels: Uint8Array },
  alpha: Uint8Array,
  background: Colour,
): Uint8Array<ArrayBuffer> {
  const area = height * width;
  const data = new Uint8Array(4 * area);
  for (let p = 0; p < area; p++) {
    if (alpha[p] === 0) continue;
    const opaque = alpha[p] / 255;
    for (let c = 0; c < 3; c++) {
      const before = (pixels[c * area + p] - (1 - opaque) * background[c]) / opaque;
      data[4 * p + c] = Math.min(255, Math.max(0, Math.round(before)));
    }
    data[4 * p + 3] = alpha[p];
  }
  return encode({ width, height, channels: 4, data }) as Uint8Array<ArrayBuffer>;
}

/** One image of a set, channel by channel, as the bytes of a PNG file. */
export function pngOf({ height, width, channels = 1 }: Shape, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  if (channels === 1) return png({ width, height, data: pixels, grey: true });
  const area = height * width;
  return png({ width, height, data: Uint8Array.from(pixels, (_, i) => pixels[i % 3 * area + Math.floor(i / 3)]) });
}
