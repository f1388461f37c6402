/** Decodes GIF files. */
import { decompressFrame, parseGIF } from "gifuct-js";
import type { Rgba } from "../../../../datasets/formats/exif.ts";
import { lzwLength } from "./lzw_length.ts";

/** A code is at most 12 bits long, and the decoder makes a table for the least length. */
const MAX_BITS = 11;

/** Decodes the first frame of a GIF. */
export function decodeGif(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  const gif = parseGIF(new Uint8Array(bytes).buffer), { width, height } = gif.lsd;
  check(width, height);
  const frame = gif.frames.find((frame) => "image" in frame);
  if (!frame || !("image" in frame)) throw new Error("it has no image");
  const { width: ownWidth, height: ownHeight } = frame.image.descriptor;
  // A frame may be smaller than the picture; one that is larger lies, and takes the decoder seconds.
  if (ownWidth > width || ownHeight > height) {
    throw new Error(`expected a frame of at most ${width}x${height}, got ${ownWidth}x${ownHeight}`);
  }
  const { minCodeSize } = frame.image.data;
  if (minCodeSize > MAX_BITS) throw new Error(`expected codes from ${MAX_BITS} bits on at most, got ${minCodeSize}`);
  // The library would take what is missing for zeros.
  const expected = ownWidth * ownHeight, { blocks } = frame.image.data;
  const found = lzwLength(Uint8Array.from(blocks), expected, { valueBits: minCodeSize, isHighFirst: false });
  if (found < expected) throw new Error(`expected ${expected} pixels, got ${found}`);
  const { patch, dims } = decompressFrame(frame, gif.gct, true), data = new Uint8Array(4 * width * height);
  for (let y = 0; y < dims.height && y + dims.top < height; y++) {
    const from = 4 * y * dims.width, length = 4 * Math.max(0, Math.min(dims.width, width - dims.left));
    data.set(patch.subarray(from, from + length), 4 * ((y + dims.top) * width + dims.left));
  }
  return { width, height, data };
}
