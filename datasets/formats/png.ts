/** Reads PNG files. Nothing is decompressed beyond what the header allows. */
import { decode, type DecodedPng } from "fast-png";
import { LARGEST_SIDE } from "../../core/shape.ts";
import { type Composited, compositing, type Reading } from "./colour.ts";
import { crc32 } from "./crc32.ts";
import { orientation, uprightPlaces } from "./exif.ts";
import { inflatedLength } from "./inflate.ts";
import { checkPictureSize } from "./picture_size.ts";
import { chunk } from "./png_chunk.ts";
import { isPng, PNG_SIGNATURE } from "./signatures.ts";

/** Length and name of the first chunk, IHDR; its content follows: width, height, depth, colour type, ... */
const IHDR_START = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
const IHDR = 16, IHDR_END = 29;
/** The chunks that pixels depend on. Others are left out: a colour profile or a text may decompress to gigabytes. */
const NEEDED = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];
/** The colour type whose pixels are indices into a palette. */
const INDEXED = 3;
/** Samples per pixel of each colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Passes of an interlaced PNG: first column and row, and their distances. */
const ADAM7 = [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly interlace: number;
}

/**
 * Reads a PNG of any kind: grey, colour, palette, with or without transparency, 1 to 16 bits. It is turned as its EXIF chunk says.
 *
 * @param what names the file in errors
 * @throws one sentence if the bytes are not a PNG, damaged or too large
 */
export function readPng(bytes: Uint8Array, what: string, reading: Reading = {}): Composited {
  const header = headerOf(bytes, what, reading.largestSide ?? LARGEST_SIDE);
  const png = decoded(bytes, header, what);
  return undamaged(what, () => composite(png, header.colourType === INDEXED, orientationOf(bytes), reading));
}

/** The orientation of a PNG whose chunks are whole. */
function orientationOf(bytes: Uint8Array): number {
  for (const { name, at, end } of chunks(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length))) {
    if (name === "eXIf") return orientation(bytes.subarray(at + 8, end - 4));
  }
  return 1;
}

/** The samples of a PNG as the file has them. */
export interface Samples {
  readonly width: number;
  readonly height: number;
  /** 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha. */
  readonly channels: number;
  /** Bits of a sample. */
  readonly depth: 8 | 16;
  /** height x width x channels, the channels of a pixel side by side. */
  readonly data: Uint8Array | Uint16Array;
}

/** Whether bytes begin as a PNG that `samplesOfPng` reads. */
export function hasSamples(bytes: Uint8Array): boolean {
  return isPng(bytes) && bytes[IHDR + 8] >= 8 && bytes[IHDR + 9] !== INDEXED;
}

/**
 * Reads the samples of a PNG of 8 or 16 bits. Nothing is composited, reduced or converted; a colour that is named as transparent
 * becomes a channel of alpha.
 *
 * @throws one sentence, as `readPng`; also for a PNG of a palette, or of fewer bits
 */
export function samplesOfPng(bytes: Uint8Array, what: string): Samples {
  const header = headerOf(bytes, what, LARGEST_SIDE), { depth, colourType } = header;
  if (colourType === INDEXED || depth < 8) {
    const kind = colourType === INDEXED ? "a palette" : `${depth} bits`;
    throw new Error(`${what}: expected a PNG of 8 or 16 bits in grey or colour, got one of ${kind}`);
  }
  const { width, height, channels, data, transparency } = decoded(bytes, header, what), turned = orientationOf(bytes);
  if (turned !== 1) throw new Error(`${what}: expected a PNG that is stored upright, got EXIF orientation ${turned}`);
  const samples = depth === 16 ? Uint16Array.from(data) : Uint8Array.from(data);
  const whole = { width, height, channels, depth: depth === 16 ? 16 : 8, data: samples } as const;
  return transparency && channels % 2 === 1 ? withAlpha(whole, transparency) : whole;
}

/** Gives samples a channel of alpha: 0 where a pixel has the one colour that the file names as transparent. */
function withAlpha(opaque: Samples, clear: ArrayLike<number>): Samples {
  const { channels, depth, data } = opaque, pixels = data.length / channels;
  const out = depth === 16 ? new Uint16Array(pixels * (channels + 1)) : new Uint8Array(pixels * (channels + 1));
  for (let pixel = 0; pixel < pixels; pixel++) {
    const colour = data.subarray(pixel * channels, (pixel + 1) * channels), at = pixel * (channels + 1);
    out.set(colour, at);
    out[at + channels] = colour.every((value, channel) => value === clear[channel]) ? 0 : 2 ** depth - 1;
  }
  return { ...opaque, channels: channels + 1, data: out };
}

/**
 * Says what a PNG holds beside 8-bit pixels in grey or colour; undefined: nothing. White transparent pixels follow from the pixels
 * that are read on white, if no other pixel is white.
 *
 * @throws one sentence, as `readPng`
 */
export async function besidePixels(bytes: Uint8Array, what: string): Promise<string | undefined> {
  const { depth, colourType, interlace, width, height } = headerOf(bytes, what, LARGEST_SIDE);
  if (colourType === INDEXED) return "a palette";
  if (depth !== 8) return `${depth} bits a sample`;
  if (interlace !== 0) return "interlaced pixels";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), found = [...chunks(bytes, view)];
  // The first chunk is the header, the last one has no content: readers refuse others.
  const other = found.slice(1, -1).find(({ name }) => name !== "IDAT");
  if (other) return `a chunk ${JSON.stringify(other.name)} with ${other.end - other.at - 12} bytes`;
  const after = bytes.length - found.at(-1)!.end;
  if (after > 0) return `${after} bytes after its end`;
  const { data } = chunksOf(bytes), pixels = height * width * CHANNELS[colourType];
  if (bytes.length > 1.01 * (pixels + height) + OVERHEAD) return `${bytes.length} bytes for ${pixels} bytes of pixels`;
  if (!await isOneStream(data)) return "bytes after its pixels";
  return CHANNELS[colourType] % 2 === 0 ? besideOpaque(samplesOfPng(bytes, what)) : undefined;
}

/** The bytes of all chunks and of a compressed stream beside the pixels, at most. */
const OVERHEAD = 128;

/** Whether compressed pixels end where their stream ends. */
async function isOneStream(data: Uint8Array): Promise<boolean> {
  const stream = new Blob([data.slice()]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    for await (const _ of stream);
    return true;
  } catch {
    return false;
  }
}

/** What pixels that are not opaque hold beside their colour on white: see `besidePixels`. */
function besideOpaque({ channels, data }: Samples): string | undefined {
  for (let at = 0; at < data.length; at += channels) {
    const colour = data.subarray(at, at + channels - 1), alpha = data[at + channels - 1];
    const isWhite = colour.every((value) => value === 255), isBlack = colour.every((value) => value === 0);
    if (alpha === 255 ? isWhite : alpha > 0 || !isBlack) return "transparency that no pixel shows";
  }
}

/** Decodes a PNG whose header was checked. */
function decoded(bytes: Uint8Array, header: Header, what: string): DecodedPng {
  return undamaged(what, () => {
    const { needed, data } = chunksOf(bytes);
    checkLength(data, lengthOf(header));
    return decode(needed);
  });
}

/** Does some work on a PNG. An error becomes a sentence that names the file. */
function undamaged<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const reason = (cause as Error).message.trim().replace(/:$/, "");
    throw new Error(`${what} is a damaged PNG: ${reason}`, { cause });
  }
}

function headerOf(bytes: Uint8Array, what: string, largestSide: number): Header {
  if (!isPng(bytes)) throw new Error(`${what} is not a PNG file: its first bytes are not a PNG's`);
  if (bytes.length < IHDR_END || !IHDR_START.every((byte, i) => bytes[8 + i] === byte)) {
    throw new Error(`${what} is a damaged PNG: expected a header of ${IHDR_END} bytes, got none`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + IHDR, IHDR_END - IHDR);
  const width = view.getUint32(0), height = view.getUint32(4);
  const depth = view.getUint8(8), colourType = view.getUint8(9), interlace = view.getUint8(12);
  checkPictureSize({ width, height }, bytes.length, what, largestSide);
  // The decoder takes interlaced pixels for whole bytes, without a word where they are not.
  if (depth < 8 && interlace !== 0) {
    throw new Error(`${what}: expected 8 or 16 bits in an interlaced PNG, got ${depth}; save it without interlacing`);
  }
  return { width, height, depth, colourType, interlace };
}

/**
 * A PNG with the needed chunks alone, whose checksums are right, and the compressed pixels. They are in one chunk: a file of millions
 * of small ones would take a hundred times its length.
 */
function chunksOf(bytes: Uint8Array): { needed: Uint8Array; data: Uint8Array } {
  const needed = new Uint8Array(bytes.length + 12), pixels = new Uint8Array(bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let length = 0, pixelsLength = 0;
  const put = (part: Uint8Array) => {
    needed.set(part, length);
    length += part.length;
  };
  put(bytes.subarray(0, PNG_SIGNATURE.length));
  for (const { name, at, end } of chunks(bytes, view)) {
    // The decoder would take the second one, which nothing has checked.
    if (name === "IHDR" && at > PNG_SIGNATURE.length) throw new Error("it has two headers");
    if (!NEEDED.includes(name)) continue;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4)) {
      throw new Error(`the checksum of ${name} is wrong`);
    }
    if (name === "IDAT") {
      pixels.set(bytes.subarray(at + 8, end - 4), pixelsLength);
      pixelsLength += end - at - 12;
      continue;
    }
    if (name === "IEND") put(chunk("IDAT", pixels.subarray(0, pixelsLength)));
    put(bytes.subarray(at, end));
  }
  return { needed: needed.subarray(0, length), data: pixels.subarray(0, pixelsLength) };
}

/** The chunks of a PNG: their names, where they begin, and where they end. */
function* chunks(bytes: Uint8Array, view: DataView): Generator<{ name: string; at: number; end: number }> {
  for (let at = PNG_SIGNATURE.length, name = ""; name !== "IEND";) {
    if (at + 8 > bytes.length) throw new Error("it is cut off");
    const end = at + 12 + view.getUint32(at);
    name = String.fromCharCode(bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]);
    if (end > bytes.length) throw new Error("it is cut off");
    yield { name, at, end };
    at = end;
  }
}

/** The length of all rows before compression; each row has one byte more, its filter. */
function lengthOf({ width, height, depth, colourType, interlace }: Header): number {
  const bits = depth * (CHANNELS[colourType] ?? 0);
  const rows = (width: number, height: number) => width > 0 ? height * (1 + Math.ceil(width * bits / 8)) : 0;
  if (interlace === 0) return rows(width, height);
  return ADAM7.reduce((sum, [x, y, dx, dy]) => {
    return sum + rows(Math.ceil((width - x) / dx), Math.max(0, Math.ceil((height - y) / dy)));
  }, 0);
}

/** Throws unless the compressed pixels have the expected length. */
function checkLength(data: Uint8Array, expected: number): void {
  const found = inflatedLength(data, expected);
  if (found === expected) return;
  const got = found > expected ? "more" : found;
  throw new Error(`expected ${expected} bytes of pixels when decompressed, got ${got}`);
}

function composite(png: DecodedPng, indexed: boolean, orientation: number, reading: Reading): Composited {
  const { width, height, data, depth, channels } = png, top = 2 ** depth - 1;
  const turned = uprightPlaces(png, orientation), { put, done } = compositing(turned, reading);
  // Below 8 bits the decoder leaves several pixels in a byte, the first in the highest bits; rows begin at whole bytes.
  const packed = depth < 8, rowLength = packed ? Math.ceil(width * depth / 8) : width * channels;
  const palette = indexed ? paletteOf(png) : undefined;
  // A PNG without an alpha channel may name one colour that is transparent.
  const [clearRed = -1, clearGreen = clearRed, clearBlue = clearRed] = png.transparency ?? [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * rowLength + (packed ? x * depth >> 3 : x * channels);
      const red = packed ? data[at] >> (8 - depth - (x * depth & 7)) & top : data[at];
      if (palette) {
        if (red >= palette.length) throw new Error(`a pixel has colour ${red} of a palette of ${palette.length}`);
        const [r, g, b, alpha = 255] = palette[red];
        put(turned.placeOf(x, y), r, g, b, alpha, 255);
      } else {
        const green = channels > 2 ? data[at + 1] : red, blue = channels > 2 ? data[at + 2] : red;
        const clear = red === clearRed && green === clearGreen && blue === clearBlue;
        const alpha = clear ? 0 : channels % 2 === 0 ? data[at + channels - 1] : top;
        put(turned.placeOf(x, y), red, green, blue, alpha, top);
      }
    }
  }
  return done();
}

function paletteOf({ palette }: DecodedPng): number[][] {
  if (!palette) throw new Error("its palette is missing");
  return palette;
}
