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

/** Entries of a directory, and the type of the first. */
const BITS_PER_SAMPLE = 258, EXTRA_SAMPLES = 338, SAMPLE_FORMAT = 339, SHORT = 3;
/** A sample beside those of the colour that is no opacity. The library divides colours by an opacity that they were multiplied by. */
const UNSPECIFIED = 0;
/** Sample formats that are read: whole numbers from 0 on, and what a writer does not know. */
const UNSIGNED = 1, UNKNOWN = 4;
/** The fill order whose bytes have their first pixel in the lowest bit. */
const LOW_FIRST = 2;

/** Decodes the first page of a TIFF: grey, RGB or palette, of 1, 8 or 16 bits, in strips. */
export function decodeTiff(given: Uint8Array, check: (width: number, height: number) => void): Rgba {
  const bytes = usual(given),
    page = readPage(bytes),
    { width, height, samplesPerPixel: samples, bitsPerSample: bits } = page;
  check(width, height);
  if (page.tiled) throw new Error("expected strips, got tiles");
  const { compression = NONE } = page;
  if (![NONE, LZW, ...DEFLATE].includes(compression)) {
    throw new Error(`expected no compression, LZW or Deflate, got compression ${compression}`);
  }
  if (![1, 8, 16].includes(bits) || !(samples >= 1 && samples <= 4)) {
    throw new Error(`expected 1 to 4 samples of 1, 8 or 16 bits, got ${samples} of ${bits}`);
  }
  if (numbers(page.fields.get(SAMPLE_FORMAT)).some((format) => format !== UNSIGNED && format !== UNKNOWN)) {
    throw new Error("expected unsigned samples, got signed ones or fractions");
  }
  if (page.planarConfiguration !== undefined && page.planarConfiguration !== 1) {
    throw new Error("expected the samples of a pixel side by side, got planes");
  }
  checkStrips(bytes, page);
  const [decoded] = decode(bytes, { pages: [0] });
  return toRgba(decoded, bits === 1 ? 1 : 2 ** bits - 1);
}

type Page = ReturnType<typeof decode>[number];

/** Reads what the directory of the first page says. */
function readPage(bytes: Uint8Array): Page {
  checkDirectory(bytes);
  return decode(bytes, { pages: [0], ignoreImageData: true })[0];
}

/** The same picture as the library expects it: with the bits of a sample stated, and the first pixel in the highest bit. */
function usual(bytes: Uint8Array): Uint8Array {
  const page = readPage(bytes), stated = page.fields.has(BITS_PER_SAMPLE) ? bytes : withOneBit(bytes);
  if (page.fillOrder !== LOW_FIRST) return stated;
  const reversed = stated.slice(), counts = numbers(page.stripByteCounts);
  let left = bytes.length;
  for (const [i, offset] of numbers(page.stripOffsets).entries()) {
    const strip = bytes.subarray(offset, offset + (counts[i] ?? 0));
    left -= strip.length;
    if (left < 0) throw new Error("its strips are longer than the file");
    // From the bytes as they were: strips may be the same ones.
    strip.forEach((byte, at) => reversed[offset + at] = reversedBits(byte));
  }
  return reversed;
}

function reversedBits(byte: number): number {
  let bits = 0;
  for (let bit = 0; bit < 8; bit++) bits |= (byte >> bit & 1) << (7 - bit);
  return bits;
}

/** Copies a file with another directory behind it, which says that samples have one bit each: what one without it means. */
function withOneBit(bytes: Uint8Array): Uint8Array {
  const little = bytes[0] === 0x49, before = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const from = before.getUint32(4, little), count = before.getUint16(from, little), end = from + 2 + 12 * count;
  const at = bytes.length + bytes.length % 2, more = new Uint8Array(at + 2 + 12 * (count + 1) + 4);
  more.set(bytes);
  more.set(bytes.subarray(from + 2, end), at + 2);
  const view = new DataView(more.buffer);
  view.setUint32(4, at, little);
  view.setUint16(at, count + 1, little);
  const entry = at + 2 + 12 * count;
  view.setUint16(entry, BITS_PER_SAMPLE, little);
  view.setUint16(entry + 2, SHORT, little);
  view.setUint32(entry + 4, 1, little);
  view.setUint16(entry + 8, 1, little);
  return more;
}

/** Throws unless the strips of a page hold its pixels, and not much more. */
function checkStrips(bytes: Uint8Array, page: Page): void {
  const { width, height, samplesPerPixel: samples, bitsPerSample: bits, compression = NONE } = page;
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
}

/** @param top the greatest value of a sample */
function toRgba(decoded: Page, top: number): Rgba {
  const { width, height, samplesPerPixel: samples, palette, data: values } = decoded;
  const data = new Uint8Array(4 * width * height).fill(255);
  const isRgb = decoded.type === RGB, colours = isRgb ? 3 : 1;
  const [extra] = numbers(decoded.fields.get(EXTRA_SAMPLES)), hasAlpha = samples > colours && extra !== UNSPECIFIED;
  const unit = (value: number) => Math.round(255 * value / top);
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
