/** Decodes BMP files. */
import bmp from "@cwasm/nsbmp";
import type { Rgba } from "../../../../datasets/formats/exif.ts";

/** Decodes a BMP of any depth. */
export function decodeBmp(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  if (bytes.length < 26) throw new Error("it is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 26), old = view.getUint32(14, true) === 12;
  const width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  // Rows run downwards where the height is negative.
  check(width, Math.abs(old ? view.getUint16(20, true) : view.getInt32(22, true)));
  const decoded = bmp.decode(bytes);
  return { width: decoded.width, height: decoded.height, data: new Uint8Array(decoded.data.buffer) };
}
