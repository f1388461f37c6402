/** Which sizes of pictures are read: memory is to be in proportion to the bytes that are there. */
import type { Size } from "../../core/shape.ts";

/** The most pixels of a picture: more than cameras take, and few enough that decoders need no gigabytes. */
const MAX_PIXELS = 60e6;
/** The pixels that a picture of few bytes may have, such as a blank one: 4096x4096. */
const FEW_BYTES = 2 ** 24;
/** How many pixels a byte may stand for in larger ones: a hundred bytes of them. Photographs have some 10. */
const MAX_IN_A_BYTE = 25;

/**
 * Checks the size of a picture before it is decoded.
 *
 * @param length the bytes of its file
 * @param what names the file in errors
 * @param largestSide in pixels
 * @throws {Error} one sentence if a side is too long, if it has more than 60 million pixels, or more than 4096x4096 of which a byte
 * would stand for more than 25
 */
export function checkPictureSize({ height, width }: Size, length: number, what: string, largestSide: number): void {
  const pixels = width * height, got = `got ${width}x${height}`;
  if (Math.min(width, height) < 1 || Math.max(width, height) > largestSide) {
    throw new Error(`${what}: expected sides of 1 to ${largestSide} pixels, ${got}`);
  }
  if (pixels > MAX_PIXELS) throw new Error(`${what}: expected at most ${MAX_PIXELS / 1e6} million pixels, ${got}`);
  const most = Math.max(FEW_BYTES, MAX_IN_A_BYTE * length);
  if (pixels > most) throw new Error(`${what}: expected at most ${most} pixels in ${length} bytes, ${got}`);
}
