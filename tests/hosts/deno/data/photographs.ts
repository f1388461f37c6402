import { encode } from "fast-png";
import jpeg from "jpeg-js";

/** A photograph as a function of x and y, 0..255. */
export type Scene = (x: number, y: number) => number;

export function pixelsOf(width: number, height: number, scene: Scene): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, i) => scene(i % width, Math.floor(i / width)));
}

export function pngOf(width: number, height: number, scene: Scene): Uint8Array {
  return encode({ width, height, channels: 1, data: pixelsOf(width, height, scene) });
}

/** A JPEG; with an EXIF orientation where one is given. */
export function jpegOf(width: number, height: number, scene: Scene, orientation?: number): Uint8Array {
  const data = new Uint8Array(4 * width * height).fill(255);
  pixelsOf(width, height, scene).forEach((grey, i) => data.fill(grey, 4 * i, 4 * i + 3));
  const bytes = new Uint8Array(jpeg.encode({ width, height, data }, 100).data);
  if (orientation === undefined) return bytes;
  // APP1: "Exif", then a big-endian TIFF of one entry: orientation (0x112), a SHORT (3).
  const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
  const block = [0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff];
  return Uint8Array.from([0xff, 0xd8, 0xff, 0xe1, 0, block.length + 2, ...block, ...bytes.subarray(2)]);
}
