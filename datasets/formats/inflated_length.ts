import { Unzlib } from "fflate";

/** Bytes that are decompressed at a time: they become 17 MB at most. */
const SLICE = 1 << 14;

/**
 * The length of zlib data after decompression, or some length above `most` if it is longer. It keeps nothing, so that data which
 * would decompress to gigabytes costs neither memory nor time.
 *
 * @throws if the data is damaged
 */
export function inflatedLength(bytes: Uint8Array, most: number): number {
  let length = 0;
  const inflator = new Unzlib((chunk) => length += chunk.length);
  for (let at = 0; at < bytes.length && length <= most; at += SLICE) inflator.push(bytes.subarray(at, at + SLICE));
  if (length <= most) inflator.push(new Uint8Array(), true);
  return length;
}
