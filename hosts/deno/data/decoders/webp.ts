/** Decodes WebP files. */
import webp from "@cwasm/webp";
import { orientation, type Rgba, upright } from "../../../../datasets/formats/exif.ts";

/** Decodes a WebP file that is no animation. */
export function decodeWebp(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  const { width, height } = sizeOf(bytes);
  check(width, height);
  const decoded = webp.decode(bytes);
  const image = { width: decoded.width, height: decoded.height, data: new Uint8Array(decoded.data.buffer) };
  const exif = exifOf(bytes);
  return upright(image, exif ? orientation(exif) : 1);
}

/** The content of the chunk EXIF, which may begin with its name as in a JPEG. */
function exifOf(bytes: Uint8Array): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const named = (at: number, name: string) => [...name].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true), from = at + 8;
    if (named(at, "EXIF")) return bytes.subarray(from + (named(from, "Exif\0\0") ? 6 : 0), from + length);
    at = from + length + length % 2;
  }
}

/** The size in the header of each of the three kinds: extended, lossless and lossy. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  if (bytes.length < 30) throw new Error("it is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 30), kind = view.getUint8(15);
  if (kind === 0x58) { // VP8X
    if (view.getUint8(20) & 2) throw new Error("it is an animation");
    const side = (at: number) => 1 + view.getUint16(at, true) + 65536 * view.getUint8(at + 2);
    return { width: side(24), height: side(27) };
  }
  if (kind === 0x4c) { // VP8L
    const sides = view.getUint32(21, true);
    return { width: 1 + (sides & 0x3fff), height: 1 + (sides >>> 14 & 0x3fff) };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}
