/** Decodes BMP files. */
import bmp from "@cwasm/nsbmp";
import type { Rgba } from "../../../../datasets/formats/exif.ts";

/** Compressions in runs of pixels: of a byte each, and of half a byte. */
const RLE8 = 1, RLE4 = 2;
/** Where a header has its length, and that of the first one that names a compression. */
const HEADER = 14, WITH_COMPRESSION = 40;
/** What follows a byte of zero in place of a number of pixels. */
const END_OF_ROW = 0, END = 1, MOVE = 2;

/** Decodes a BMP of any depth. */
export function decodeBmp(bytes: Uint8Array, check: (width: number, height: number) => void): Rgba {
  if (bytes.length < 26) throw new Error("it is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), header = view.getUint32(HEADER, true);
  const old = header === 12, width = old ? view.getUint16(18, true) : view.getInt32(18, true);
  // Rows run downwards where the height is negative.
  const height = Math.abs(old ? view.getUint16(20, true) : view.getInt32(22, true));
  check(width, height);
  const compression = header >= WITH_COMPRESSION ? view.getUint32(30, true) : 0;
  if (compression === RLE8 || compression === RLE4) {
    // The library would take rows that are missing for transparent ones.
    const rows = rowsOfRuns(bytes.subarray(view.getUint32(10, true)), width, compression === RLE8 ? 1 : 2);
    if (rows < height) throw new Error(`expected ${height} rows, got ${rows}`);
  }
  const decoded = bmp.decode(bytes);
  return { width: decoded.width, height: decoded.height, data: new Uint8Array(decoded.data.buffer) };
}

/**
 * Counts the rows that runs of pixels fill. A row may end early, and the data may move on: the pixels between have no colour of their own.
 *
 * @param together how many pixels of a run that is written out a byte has
 */
function rowsOfRuns(bytes: Uint8Array, width: number, together: number): number {
  let y = 0, x = 0, at = 0;
  const put = (pixels: number) => x = Math.min(x + pixels, width); // as the library: runs end with the row
  while (at + 1 < bytes.length) {
    const [count, value] = [bytes[at], bytes[at + 1]];
    at += 2;
    if (count > 0) put(count);
    else if (value === END) return x > 0 ? y + 1 : y;
    else if (value === END_OF_ROW) [y, x] = [y + 1, 0];
    else if (value === MOVE) {
      x += bytes[at] ?? 0;
      y += bytes[at + 1] ?? 0;
      at += 2;
    } else {
      const length = Math.ceil(value / together);
      if (at + length > bytes.length) break;
      put(value);
      at += length + length % 2;
    }
  }
  return x >= width ? y + 1 : y; // the end was not reached: a row is there if all of it is
}
