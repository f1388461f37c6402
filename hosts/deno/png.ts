import { encode } from "fast-png";
import type { Picture } from "../../core/sheet.ts";

/** A grey or RGB picture as the bytes of a PNG file; the same picture gives the same bytes. */
export function png(picture: Picture | { width: number; height: number; data: Uint8Array; grey: true }): Uint8Array {
  const { width, height, data } = picture;
  return encode({ width, height, channels: "grey" in picture ? 1 : 3, data });
}
