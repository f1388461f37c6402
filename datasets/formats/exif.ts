/** Turns photographs upright, as their EXIF data says and viewers show them. */

/** Pixels of 4 bytes: red, green, blue and alpha, row by row. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** The EXIF orientation, 1..8, of a JPEG's EXIF block (a zero byte, then a TIFF file); 1 (upright) if it has none. */
export function orientation(exif: Uint8Array): number {
  const tiff = new DataView(exif.buffer, exif.byteOffset + 1, exif.length - 1);
  try {
    const little = tiff.getUint8(0) === 0x49; // "II" for little-endian, "MM" for big-endian
    const directory = tiff.getUint32(4, little);
    const entries = tiff.getUint16(directory, little);
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
export function upright(image: Rgba, orientation: number): Rgba {
  if (orientation === 1) return image;
  const onItsSide = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const [height, width] = onItsSide ? [image.width, image.height] : [image.height, image.width];
  const data = new Uint8Array(4 * height * width);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const [column, row] = onItsSide ? [y, x] : [x, y];
      const storedX = fromRight ? image.width - 1 - column : column;
      const storedY = fromBottom ? image.height - 1 - row : row;
      const from = 4 * (storedY * image.width + storedX);
      for (let part = 0; part < 4; part++) data[4 * i + part] = image.data[from + part];
    }
  }
  return { height, width, data };
}
