/** Reads PNG and JPEG photographs as grey images. */
import jpeg from "jpeg-js";
import { greyFromPng, type GreyImage, isPng, luma } from "../../../datasets/formats/png.ts";

/** Photographs may be larger than the images of a data set. */
const LARGEST_SIDE = 16384, LARGEST_MEGAPIXELS = 60, LARGEST_MEGABYTES = 1500;

/**
 * Reads a PNG or JPEG photograph as grey, rotated upright by its EXIF orientation, as viewers show it.
 *
 * @param what names the file in errors
 * @throws one sentence if the bytes are neither, damaged or too large
 */
export function readPhotograph(bytes: Uint8Array, what: string): GreyImage {
  if (isPng(bytes)) return greyFromPng(bytes, what, LARGEST_SIDE);
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) throw new Error(`${what} is neither a PNG nor a JPEG file`);
  let decoded;
  try {
    decoded = jpeg.decode(bytes, {
      useTArray: true,
      formatAsRGBA: false,
      tolerantDecoding: false,
      maxResolutionInMP: LARGEST_MEGAPIXELS,
      maxMemoryUsageInMB: LARGEST_MEGABYTES,
    });
  } catch (cause) {
    throw new Error(`${what} is damaged or too large to be read as JPEG: ${(cause as Error).message}`, { cause });
  }
  const { height, width, data } = decoded, pixels = new Uint8Array(height * width);
  for (let i = 0, at = 0; i < pixels.length; i++, at += 3) {
    pixels[i] = Math.round(luma(data[at], data[at + 1], data[at + 2]));
  }
  const { exifBuffer } = decoded as { exifBuffer?: Uint8Array };
  return upright({ height, width, pixels }, exifBuffer ? orientation(exifBuffer) : 1);
}

/** The EXIF orientation, 1..8, of a JPEG's EXIF block (a zero byte, then a TIFF file); 1 (upright) if it has none. */
function orientation(exif: Uint8Array): number {
  const tiff = new DataView(exif.buffer, exif.byteOffset + 1, exif.length - 1);
  try {
    const little = tiff.getUint8(0) === 0x49; // "II" for little-endian, "MM" for big-endian
    const directory = tiff.getUint32(4, little), entries = tiff.getUint16(directory, little);
    for (let i = 0; i < entries; i++) {
      const entry = directory + 2 + 12 * i;
      if (tiff.getUint16(entry, little) !== 0x0112) continue;
      const value = tiff.getUint16(entry + 8, little);
      return value >= 1 && value <= 8 ? value : 1;
    }
  } catch {
    // The block is damaged, but the pixels may be intact.
  }
  return 1;
}

/** Turns an image that was stored in one of the eight EXIF orientations. */
function upright(image: GreyImage, orientation: number): GreyImage {
  if (orientation === 1) return image;
  const onItsSide = orientation >= 5, fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const [height, width] = onItsSide ? [image.width, image.height] : [image.height, image.width];
  const pixels = new Uint8Array(height * width);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const [column, row] = onItsSide ? [y, x] : [x, y];
      const storedX = fromRight ? image.width - 1 - column : column;
      const storedY = fromBottom ? image.height - 1 - row : row;
      pixels[i] = image.pixels[storedY * image.width + storedX];
    }
  }
  return { height, width, pixels };
}
