import { decode, type DecodedPng } from "fast-png";
import { LARGEST_SIDE } from "../../core/shape.ts";

/** A grey image: row y, column x is `pixels[y * width + x]`. */
export interface GreyImage {
  readonly height: number;
  readonly width: number;
  readonly pixels: Uint8Array;
}

/** A colour image: a plane of red, one of green and one of blue, each laid out as a grey image. */
export interface ColourImage extends GreyImage {
  readonly channels: 3;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Length and name of the first chunk, IHDR; its content follows: width, height, depth, colour type, ... */
const IHDR_START = [0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
const IHDR = 16, IHDR_END = 29;
/** The colour type whose pixels are indices into a palette. */
const INDEXED = 3;

/** Whether bytes begin like a PNG file. */
export function isPng(bytes: Uint8Array): boolean {
  return SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** The brightness of a colour (Rec. 709), in the unit of its components. */
export function luma(red: number, green: number, blue: number): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/**
 * Reads a PNG of any kind (grey, colour, palette, with or without transparency, 1 to 16 bits) as 8-bit grey. Transparent
 * pixels are blended with black.
 *
 * @param what names the file in errors
 * @param largestSide in pixels; a larger image is refused before it is decoded
 * @throws one sentence if the bytes are not a PNG, damaged or too large
 */
export function greyFromPng(bytes: Uint8Array, what: string, largestSide = LARGEST_SIDE): GreyImage {
  return fromPng(bytes, what, largestSide, 1);
}

/** Reads a PNG in colour, as `greyFromPng` does in grey. The planes of a grey PNG are equal. */
export function colourFromPng(bytes: Uint8Array, what: string, largestSide = LARGEST_SIDE): ColourImage {
  return { ...fromPng(bytes, what, largestSide, 3), channels: 3 };
}

function fromPng(bytes: Uint8Array, what: string, largestSide: number, planes: 1 | 3): GreyImage {
  if (!isPng(bytes)) throw new Error(`${what} is not a PNG file: its first bytes are not a PNG's`);
  if (bytes.length < IHDR_END || !IHDR_START.every((byte, i) => bytes[8 + i] === byte)) {
    throw new Error(`${what} is a damaged PNG: expected a header of ${IHDR_END} bytes, got none`);
  }
  const header = new DataView(bytes.buffer, bytes.byteOffset + IHDR, IHDR_END - IHDR);
  const width = header.getUint32(0), height = header.getUint32(4);
  const depth = header.getUint8(8), colourType = header.getUint8(9), interlace = header.getUint8(12);
  if (Math.min(width, height) < 1 || Math.max(width, height) > largestSide) {
    throw new Error(`${what}: expected sides of 1 to ${largestSide} pixels, got ${width}x${height}`);
  }
  // The decoder takes interlaced pixels for whole bytes, without a word where they are not.
  if (depth < 8 && interlace !== 0) {
    throw new Error(`${what}: expected 8 or 16 bits in an interlaced PNG, got ${depth}; save it without interlacing`);
  }
  try {
    const png = decode(bytes, { checkCrc: true });
    return { height, width, pixels: toPlanes(png, colourType === INDEXED, planes) };
  } catch (cause) {
    // The decoder reads beyond the end of pixels that are cut off.
    const reason = (cause as Error).message.replace("Unsupported filter: undefined", "its pixels are cut off");
    throw new Error(`${what} is a damaged PNG: ${reason}`, { cause });
  }
}

function toPlanes(png: DecodedPng, indexed: boolean, planes: 1 | 3): Uint8Array {
  const { width, height, data, depth, channels } = png, area = width * height;
  const pixels = new Uint8Array(planes * area), top = 2 ** depth - 1;
  // Below 8 bits the decoder leaves several pixels in a byte, the first in the highest bits; rows begin at whole bytes.
  const packed = depth < 8, rowLength = packed ? Math.ceil(width * depth / 8) : width * channels;
  const palette = indexed ? paletteOf(png) : undefined;
  // A PNG without an alpha channel may name one colour that is transparent.
  const [clearRed = -1, clearGreen = clearRed, clearBlue = clearRed] = png.transparency ?? [];
  /** Writes a colour over black; its parts are 0..`top`. */
  const put = (p: number, red: number, green: number, blue: number, alpha: number, top: number) => {
    const level = (part: number) => Math.round(255 * part / top * alpha / top);
    if (planes === 1) pixels[p] = level(luma(red, green, blue));
    else [red, green, blue].forEach((part, channel) => pixels[channel * area + p] = level(part));
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * rowLength + (packed ? x * depth >> 3 : x * channels);
      const red = packed ? data[at] >> (8 - depth - (x * depth & 7)) & top : data[at];
      if (palette) {
        if (red >= palette.length) throw new Error(`a pixel has colour ${red} of a palette of ${palette.length}`);
        const [r, g, b, alpha = 255] = palette[red];
        put(y * width + x, r, g, b, alpha, 255);
      } else {
        const green = channels > 2 ? data[at + 1] : red, blue = channels > 2 ? data[at + 2] : red;
        const clear = red === clearRed && green === clearGreen && blue === clearBlue;
        const alpha = clear ? 0 : channels % 2 === 0 ? data[at + channels - 1] : top;
        put(y * width + x, red, green, blue, alpha, top);
      }
    }
  }
  return pixels;
}

function paletteOf({ palette }: DecodedPng): number[][] {
  if (!palette) throw new Error("its palette is missing");
  return palette;
}
