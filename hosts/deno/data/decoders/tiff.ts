/** Decodes TIFF files. */
import { decode } from "tiff";
import { inflatedLength } from "../../../../datasets/formats/inflate.ts";
import type { Rgba } from "../../../../datasets/formats/exif.ts";
import { lzwLength } from "./lzw_length.ts";

/** The compressions that are read: none, LZW, and Deflate under its two numbers. */
const NONE = 1, LZW = 5, DEFLATE = [8, 32946];
/** How TIFF writes LZW. */
const LZW_FORMAT = { valueBits: 8, isHighFirst: true };
/** Bytes that the strips of any picture may have beyond its pixels. */
const ROOM = 1 << 16;
/** How samples mean colours. */
const WHITE_IS_ZERO = 0, RGB = 2, PALETTE = 3;

/** Decodes the first page of a TIFF: grey, RGB or palette, of 1, 8 or 16 bits, in strips. */
export function decodeTiff(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  checkDirectory(bytes);
  const [page] = decode(bytes, { pages: [0], ignoreImageData: true });
  const { width, height, samplesPerPixel: samples, bitsPerSample: bits, compression = NONE } = page;
  check(width, height);
  if (page.tiled) throw new Error("expected strips, got tiles");
  if (![1, 8, 16].includes(bits) || !(samples >= 1 && samples <= 4)) {
    throw new Error(`expected 1 to 4 samples of 1, 8 or 16 bits, got ${samples} of ${bits}`);
  }
  if (page.planarConfiguration !== undefined && page.planarConfiguration !== 1) {
    throw new Error("expected the samples of a pixel side by side, got planes");
  }
  const expected = Math.ceil(width * samples * bits / 8) * height;
  const counts = numbers(page.stripByteCounts), offsets = numbers(page.stripOffsets);
  if (offsets.length > height) throw new Error("it has more strips than rows");
  // Strips may be the same bytes. Some writers fill the last one up, which has fewer rows.
  const most = 2 * expected + ROOM;
  let total = 0;
  for (const [i, offset] of offsets.entries()) {
    if (i >= counts.length) break;
    const strip = bytes.subarray(offset, offset + counts[i]);
    const length = DEFLATE.includes(compression)
      ? inflatedLength(strip, expected)
      : compression === LZW
      ? lzwLength(strip, expected, LZW_FORMAT)
      : strip.length;
    if (compression !== NONE && length > expected) {
      throw new Error(`expected at most ${expected} bytes when decompressed, got more`);
    }
    total += length;
    if (total > most) throw new Error(`expected strips of ${expected} bytes together, got more`);
  }
  // The library would take what is missing for zeros.
  if (total < expected) throw new Error(`expected strips of ${expected} bytes together, got ${total}`);
  const [decoded] = decode(bytes, { pages: [0] }), values = decoded.data, top = bits === 1 ? 1 : 2 ** bits - 1;
  const data = new Uint8Array(4 * width * height).fill(255), { palette } = decoded;
  const isRgb = decoded.type === RGB, colours = isRgb ? 3 : 1;
  const hasAlpha = samples > colours, unit = (value: number) => Math.round(255 * value / top);
  if (isRgb && samples < 3 || decoded.type > PALETTE || decoded.type < WHITE_IS_ZERO) {
    throw new Error("expected grey, RGB or a palette, got another kind of colours");
  }
  for (let p = 0; p < width * height; p++) {
    const at = p * samples, parts = palette?.[values[at]]?.map((part) => part >> 8);
    for (let part = 0; part < 3; part++) {
      data[4 * p + part] = parts ? parts[part] : unit(values[at + (isRgb ? part : 0)]);
    }
    if (hasAlpha) data[4 * p + 3] = unit(values[at + colours]);
  }
  return { width, height, data };
}

/** The values of an entry: the library gives one number, or an array of any kind. */
function numbers(values: number | ArrayLike<number> | undefined): number[] {
  return typeof values === "object" ? Array.from(values) : values === undefined ? [] : [values];
}

/** Bytes of a value of each type, from 1 on. */
const TYPE_BYTES = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Entries that lead to a directory within the first one: EXIF and GPS. */
const SUBDIRECTORIES = [0x8769, 0x8825];

/**
 * Throws if the entries of the directories together claim more values than the file holds, for which the decoder would make room, or
 * if directories within the first one lead on. Returns how many bytes they claim.
 *
 * @param start where the offset of the directory is
 * @param before bytes that were claimed before
 */
function checkDirectory(bytes: Uint8Array, start = 4, before = 0): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), little = bytes[0] === 0x49;
  const directory = view.getUint32(start, little), entries = view.getUint16(directory, little);
  let claimed = before;
  for (let at = directory + 2; at < directory + 2 + 12 * entries; at += 12) {
    const [tag, type] = [view.getUint16(at, little), view.getUint16(at + 2, little)];
    claimed += view.getUint32(at + 4, little) * (TYPE_BYTES[type - 1] ?? 0);
    if (claimed > bytes.length) throw new Error(`expected at most ${bytes.length} bytes in its entries, got more`);
    if (!SUBDIRECTORIES.includes(tag)) continue;
    if (start !== 4) throw new Error("its directories lead on");
    claimed = checkDirectory(bytes, at + 8, claimed);
  }
  return claimed;
}
