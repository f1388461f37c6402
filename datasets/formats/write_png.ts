import { encode } from "fast-png";
import type { Shape } from "../../core/shape.ts";

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

/** One image of a set, channel by channel, as the bytes of a PNG file. */
export function pngOf({ height, width, channels = 1 }: Shape, pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  if (channels === 1) return png({ width, height, data: pixels, grey: true });
  const area = height * width;
  return png({ width, height, data: Uint8Array.from(pixels, (_, i) => pixels[i % 3 * area + Math.floor(i / 3)]) });
}
