/** Turns photographs upright, as their EXIF data says and viewers show them. */

/** Pixels of 4 bytes: red, green, blue and alpha, row by row. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** The EXIF orientation, 1..8, that a TIFF file or an EXIF block, which is one, says; 1 (upright) if it says none. */
export function orientation(block: Uint8Array): number {
  const tiff = new DataView(block.buffer, block.byteOffset, block.length);
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

/** The size of an image that was stored in one of the eight EXIF orientations, and the place of each of its stored pixels. */
export interface Upright {
  readonly width: number;
  readonly height: number;
  placeOf(storedX: number, storedY: number): number;
}

/** Says where the pixels of an image of a stored size are when it is upright. */
export function uprightPlaces(stored: { width: number; height: number }, orientation: number): Upright {
  const onItsSide = orientation >= 5;
  const fromRight = [2, 3, 7, 8].includes(orientation);
  const fromBottom = [3, 4, 6, 7].includes(orientation);
  const [height, width] = onItsSide ? [stored.width, stored.height] : [stored.height, stored.width];
  return {
    width,
    height,
    placeOf(storedX, storedY) {
      const column = fromRight ? stored.width - 1 - storedX : storedX;
      const row = fromBottom ? stored.height - 1 - storedY : storedY;
      return onItsSide ? column * width + row : row * width + column;
    },
  };
}

/** Turns an image that was stored in one of the eight EXIF orientations. */
export function upright(image: Rgba, orientation: number): Rgba {
  if (orientation === 1) return image;
  const { width, height, placeOf } = uprightPlaces(image, orientation), data = new Uint8Array(4 * height * width);
  for (let y = 0, from = 0; y < image.height; y++) {
    for (let x = 0; x < image.width; x++, from += 4) {
      const to = 4 * placeOf(x, y);
      for (let part = 0; part < 4; part++) data[to + part] = image.data[from + part];
    }
  }
  return { height, width, data };
}
