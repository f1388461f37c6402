import { Gunzip, Inflate, Unzlib } from "fflate";

/** Bytes that are decompressed at a time: they become 17 MB at most. */
const SLICE = 1 << 14;

/**
 * The length of zlib data after decompression, or some length above `most` if it is longer. It keeps nothing, so that data which
 * would decompress to gigabytes costs neither memory nor time.
 *
 * @throws if the data is damaged
 */
export function inflatedLength(bytes: Uint8Array, most: number): number {
  return inflate(Unzlib, bytes, most, () => {});
}

/**
 * Decompresses gzip data of at most `most` bytes. Data which would become longer is not decompressed any further.
 *
 * @throws if the data is damaged, or would become longer
 */
export function gunzipAtMost(bytes: Uint8Array, most: number): Uint8Array {
  return inflatedAtMost(Gunzip, bytes, most);
}

/** Decompresses raw Deflate data, as `gunzipAtMost`. */
export function inflateAtMost(bytes: Uint8Array, most: number): Uint8Array {
  return inflatedAtMost(Inflate, bytes, most);
}

type Format = typeof Gunzip | typeof Inflate | typeof Unzlib;

function inflatedAtMost(Format: Format, bytes: Uint8Array, most: number): Uint8Array {
  const content = new Uint8Array(most);
  const length = inflate(Format, bytes, most, (chunk, at) => {
    if (at + chunk.length > most) throw new Error(`expected at most ${most} bytes, got more`);
    content.set(chunk, at);
  });
  return content.subarray(0, length);
}

/** Decompresses data slice by slice until more than `most` bytes came. Returns how many came. */
function inflate(
  Format: Format,
  bytes: Uint8Array,
  most: number,
  take: (chunk: Uint8Array, at: number) => void,
): number {
  let length = 0;
  const inflator = new Format((chunk) => {
    take(chunk, length);
    length += chunk.length;
  });
  for (let at = 0; at < bytes.length && length <= most; at += SLICE) inflator.push(bytes.subarray(at, at + SLICE));
  if (length <= most) inflator.push(new Uint8Array(), true);
  return length;
}
