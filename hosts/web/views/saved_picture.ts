/** The pictures that visitors save: one of the film, or all of it side by side, with every pixel enlarged to a square. */
import { areaOf, type Size } from "../../../core/shape.ts";
import { samplesPng } from "../../../datasets/formats/write_png.ts";
import { toRgba } from "./picture.ts";
import type { PictureShape } from "../state/page_state.ts";

/** A picture of the page: its bytes channel by channel. */
export interface ShownPicture {
  readonly shape: PictureShape;
  readonly pixels: Uint8Array;
}

/** A picture as a PNG file stores it: grey, red, green and blue, or these and opacity, pixel by pixel. */
interface Raster extends Size {
  readonly channels: 1 | 3 | 4;
  readonly data: Uint8Array;
}

/** Pixels of the finest picture between two pictures of a strip. */
const GAP = 2;

/**
 * Returns pictures as the bytes of one PNG file, each pixel as `factor` x `factor` of them. Each row of pictures stands below the one
 * before. Smaller pictures are enlarged by whole numbers to the size of the largest. Between pictures there is white, or transparency
 * where pictures have transparent pixels.
 */
export function pictureFile(rows: readonly (readonly ShownPicture[])[], factor: number): Uint8Array<ArrayBuffer> {
  const rasters = rows.map((row) => row.map(rasterOf)), [first] = rasters[0], { channels } = first;
  const whole = stripSize(rows),
    side = largest(rows),
    all: Raster = {
      height: whole.height * factor,
      width: whole.width * factor,
      channels,
      data: new Uint8Array(areaOf(whole) * factor * factor * channels).fill(channels === 4 ? 0 : 255),
    };
  rasters.forEach((row, y) =>
    row.forEach((one, x) => {
      const top = y * (side.height + GAP) * factor, left = x * (side.width + GAP) * factor;
      put(all, one, { top, left, scale: factor * Math.floor(side.width / one.width) });
    })
  );
  return samplesPng({ ...all, depth: 8 });
}

/** The size of pictures in one file before they are enlarged. */
export function stripSize(rows: readonly (readonly ShownPicture[])[]): Size {
  const { height, width } = largest(rows), most = Math.max(...rows.map(({ length }) => length));
  return { height: rows.length * (height + GAP) - GAP, width: most * (width + GAP) - GAP };
}

function largest(rows: readonly (readonly ShownPicture[])[]): Size {
  const [{ shape }] = rows.flat().toSorted((a, b) => b.shape.width - a.shape.width);
  return shape;
}

function rasterOf({ shape, pixels }: ShownPicture): Raster {
  const { height, width } = shape, channels = shape.transparent ? 4 : shape.channels === 3 ? 3 : 1;
  if (channels === 1) return { height, width, channels, data: pixels };
  const rgba = toRgba(shape, pixels);
  return { height, width, channels, data: Uint8Array.from(channels === 4 ? rgba : rgba.filter((_, at) => at % 4 < 3)) };
}

/** Where a picture stands in another one, and how many times as large. */
interface Placement {
  readonly top: number;
  readonly left: number;
  readonly scale: number;
}

function put(into: Raster, { height, width, channels, data }: Raster, { top, left, scale }: Placement): void {
  const line = new Uint8Array(channels * width * scale);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width * scale; x++) {
      const from = channels * (y * width + Math.floor(x / scale));
      for (let c = 0; c < channels; c++) line[channels * x + c] = data[from + c];
    }
    for (let copy = 0; copy < scale; copy++) {
      into.data.set(line, channels * ((top + y * scale + copy) * into.width + left));
    }
  }
}
