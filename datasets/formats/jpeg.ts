/** Decodes JPEG files. */
import jpeg from "jpeg-js";
import { orientation, type Rgba, upright } from "./exif.ts";

/** Limit of the decoder for an image, above that of `check`. */
const MAX_MEGAPIXELS = 60;
/** Limit of the decoder for its memory. */
const MAX_MEGABYTES = 1500;
/** A blank JPEG has about 340 pixels in a byte: a header that claims far more than its file can hold lies. */
const MAX_PIXELS_IN_A_BYTE = 2048;

/** How often a file of any length may go through its image. Programs write progressive JPEGs of some 10 scans. */
const MAX_SCANS = 16;

/** Decodes a JPEG and turns it upright. */
export function decodeJpeg(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  const { width, height } = sizeOf(bytes);
  check(width, height);
  if (width * height > bytes.length * MAX_PIXELS_IN_A_BYTE) throw new Error("it is cut off");
  // A scan of 31 bytes can go through all pixels: the time to decode would not be in proportion to the bytes.
  const scans = scansOf(bytes);
  if (scans > MAX_SCANS && scans * width * height > bytes.length * MAX_PIXELS_IN_A_BYTE) {
    throw new Error(`it has ${scans} scans in ${bytes.length} bytes`);
  }
  const decoded = jpeg.decode(bytes, {
    useTArray: true,
    formatAsRGBA: true,
    tolerantDecoding: false,
    maxResolutionInMP: MAX_MEGAPIXELS,
    maxMemoryUsageInMB: MAX_MEGABYTES,
    ...storesRgb(bytes) && { colorTransform: false },
  });
  const { exifBuffer } = decoded as { exifBuffer?: Uint8Array };
  // The block begins with a zero byte.
  return upright(decoded, exifBuffer ? orientation(exifBuffer.subarray(1)) : 1);
}

/** The size in the frame header. */
function sizeOf(bytes: Uint8Array): { width: number; height: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const { marker, at } of headers(view)) {
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  throw new Error("it is cut off, or has no frame");
}

/** Whether the three components are red, green and blue: where there is no JFIF, Adobe's segment says so, or their names do. */
function storesRgb(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let transform: number | undefined;
  for (const { marker, at } of headers(view)) {
    const begins = (text: string) => [...text].every((letter, i) => bytes[at + 4 + i] === letter.charCodeAt(0));
    if (marker === 0xe0 && begins("JFIF\0")) return false;
    if (marker === 0xee && begins("Adobe")) transform = bytes[at + 15];
    if (!isFrame(marker)) continue;
    const names = String.fromCharCode(bytes[at + 10], bytes[at + 13], bytes[at + 16]);
    return bytes[at + 9] === 3 && (transform === undefined ? names === "RGB" : transform === 0);
  }
  return false;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** The segments before the pixels, of known lengths, with where they begin: up to the frame header, which is the last of them. */
function* headers(view: DataView): Generator<{ marker: number; at: number }> {
  for (let at = 2; at + 9 < view.byteLength;) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) return;
    if (marker === 0xff) {
      at++; // filling
      continue;
    }
    yield { marker, at };
    if (isFrame(marker)) return;
    at += 2 + view.getUint16(at + 2);
  }
}

/** Markers: start of a scan, end of the image; those without a length, of which entropy-coded data has the first eight. */
const SCAN = 0xda, END = 0xd9, isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

/** The number of scans: how often all or part of the image is gone through. */
function scansOf(bytes: Uint8Array): number {
  let scans = 0;
  for (let at = 2; at + 3 < bytes.length;) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0 || isRestart(marker)) {
      at++; // entropy-coded data, or filling
      continue;
    }
    if (marker === END) break;
    if (marker === SCAN) scans++;
    at += 2 + (bytes[at + 2] << 8 | bytes[at + 3]);
  }
  return scans;
}
