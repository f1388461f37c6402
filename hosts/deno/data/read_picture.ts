/** Reads pictures of the common formats. Each decoder is loaded when the first picture of its format is read. */
import { LARGEST_SIDE } from "../../../core/shape.ts";
import { type Composited, compositing, type Reading } from "../../../datasets/formats/colour.ts";
import { checkPictureSize } from "../../../datasets/formats/picture_size.ts";
import { readPng } from "../../../datasets/formats/png.ts";
import { isJpeg, isPng } from "../../../datasets/formats/signatures.ts";
import type { Rgba } from "../../../datasets/formats/exif.ts";
import { PICTURE_ENDINGS } from "../folders/foreign_pictures.ts";

/** The largest side of a photograph that an import scales down, in pixels: larger than the images of a data set may be. */
export const LARGEST_PHOTOGRAPH = 16384;

/** A format that is not PNG: how its files begin, and what decodes them. */
interface Format {
  readonly name: string;
  begins(bytes: Uint8Array): boolean;
  /** Decodes a picture whose sides `check` takes; throws what describes the damage. */
  decode(bytes: Uint8Array, check: (width: number, height: number) => void): Promise<Rgba>;
}

/** A part of some bytes as text, one character a byte: how formats name themselves. */
export function ascii(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}

const FORMATS: readonly Format[] = [
  {
    name: "JPEG",
    begins: isJpeg,
    decode: async (bytes, check) => (await import("../../../datasets/formats/jpeg.ts")).decodeJpeg(bytes, check),
  },
  {
    name: "GIF",
    begins: (bytes) => ascii(bytes, 0, 4) === "GIF8",
    decode: async (bytes, check) => (await import("./decoders/gif.ts")).decodeGif(bytes, check),
  },
  {
    name: "WebP",
    begins: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 12) === "WEBP",
    decode: async (bytes, check) => (await import("./decoders/webp.ts")).decodeWebp(bytes, check),
  },
  {
    name: "BMP",
    begins: (bytes) => ascii(bytes, 0, 2) === "BM",
    decode: async (bytes, check) => (await import("./decoders/bmp.ts")).decodeBmp(bytes, check),
  },
  {
    name: "TIFF",
    begins: (bytes) => ["II*\0", "MM\0*"].includes(ascii(bytes, 0, 4)),
    decode: async (bytes, check) => (await import("./decoders/tiff.ts")).decodeTiff(bytes, check),
  },
];

/** The formats, for errors and help texts. */
export const PICTURES = "PNG, JPEG, WebP, GIF, BMP or TIFF";
/** Endings of picture formats that are not read. */
const OTHER_ENDINGS = /\.(avif|heic|heif|jxl|jp2|svg|psd|eps|ico|tga|exr|hdr|raw|cr2|nef|arw|dng)$/i;

/** The names of a folder's pictures, in the order given, and of pictures in formats that cannot be read. */
export function pictureNames(files: readonly string[]): { pictures: string[]; others: string[] } {
  const visible = files.filter((name) => !name.startsWith("."));
  return {
    pictures: visible.filter((name) => PICTURE_ENDINGS.test(name)),
    others: visible.filter((name) => OTHER_ENDINGS.test(name)),
  };
}

/** Whether bytes begin like a picture that `readPicture` reads. */
export function isPicture(bytes: Uint8Array): boolean {
  return isPng(bytes) || FORMATS.some(({ begins }) => begins(bytes));
}

/** Says that a file is of a format of photographs that is not read; undefined if it is of none. */
export function otherFormatText(bytes: Uint8Array, what: string): string | undefined {
  if (ascii(bytes, 4, 8) !== "ftyp") return undefined;
  return `${what} is a HEIC or AVIF picture, or a film, which cannot be read: save it as PNG or JPEG`;
}

/** Says what was found in place of the first bytes that were expected. */
export function gotText(bytes: Uint8Array): string {
  return bytes.length === 0 ? "an empty file" : "other first bytes";
}

/**
 * Reads a picture: of an animation the first frame, of a file of several pages the first; photographs are turned upright by their
 * EXIF orientation. The format follows from the content, not from the file's name.
 *
 * @param what names the file in errors
 * @throws one sentence if the bytes are no picture, damaged or too large
 */
export async function readPicture(bytes: Uint8Array, what: string, reading: Reading = {}): Promise<Composited> {
  if (isPng(bytes)) return readPng(bytes, what, reading);
  const format = FORMATS.find(({ begins }) => begins(bytes));
  if (!format) {
    throw new Error(
      otherFormatText(bytes, what) ?? `${what} is no picture: expected ${PICTURES}, got ${gotText(bytes)}`,
    );
  }
  const { largestSide = LARGEST_SIDE } = reading;
  let tooLarge: Error | undefined, decoded: Rgba;
  const check = (width: number, height: number) => {
    try {
      checkPictureSize({ width, height }, bytes.length, what, largestSide);
    } catch (error) {
      throw tooLarge = error as Error;
    }
  };
  try {
    decoded = await format.decode(bytes, check);
    check(decoded.width, decoded.height);
    const { width, height, data } = decoded;
    if (data.length !== 4 * width * height) throw new Error("it is cut off");
  } catch (cause) {
    if (tooLarge) throw tooLarge;
    throw new Error(`${what} is a damaged ${format.name} file, or of a kind that cannot be read: ${damageOf(cause)}`, {
      cause,
    });
  }
  const { data } = decoded, { put, done } = compositing(decoded, reading);
  for (let p = 0, at = 0; at < data.length; p++, at += 4) {
    put(p, data[at], data[at + 1], data[at + 2], data[at + 3], 255);
  }
  return done();
}

/** Why a picture that is called "it" cannot be read, beside its name. */
export function faultOfIt(error: unknown): string {
  return (error as Error).message.replace(/^it: /, "");
}

/** The message of a decoder; not that of expressions that fail on damaged data. */
export function damageOf(cause: unknown): string {
  const isFailed = [TypeError, RangeError, ReferenceError, WebAssembly.RuntimeError].some((kind) =>
    cause instanceof kind
  );
  if (isFailed || !(cause instanceof Error)) return "its data are cut off or make no sense";
  return cause.message.replace(/\s+/g, " ").replaceAll("undefined", "none").slice(0, 200);
}
