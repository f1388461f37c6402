/** The new images of a run alone: with gaps as a poster, or without as an atlas for a game. */
import { areaOf, lengthOf, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { Colour } from "../../datasets/formats/colour.ts";

/** What a sheet shows: each image beside what it is compared with, the new images alone, or these without gaps and enlargement. */
export type SheetKind = "compared" | "new" | "atlas";
/** All of them; the first one is the default. */
export const SHEETS: readonly SheetKind[] = ["compared", "new", "atlas"];

/** The gap between images of a poster, and the side up to which they are enlarged by whole numbers, in pixels. */
const GAP = 8, IMAGE_SIDE = 192;
/** A picture is no larger, unless one image is. */
const LARGEST_SIDE = 4096;
const PAPER = 255;

/** Where the images of a picture lie. */
interface Layout {
  readonly columns: number;
  /** The number of images that are shown. */
  readonly count: number;
  /** The side of the square that a pixel becomes. */
  readonly scale: number;
  readonly gap: number;
  readonly size: Size;
}

/**
 * Lays images out in rows, in one picture of channels x height x width bytes that is about as wide as high. No side is longer than
 * 4096 pixels: a poster of many images enlarges them less, and of more images than fit the first ones are shown.
 *
 * @param images the pixels of each image, channel by channel; all of one size
 * @param transparent the colour that stands for transparent pixels: a poster is white there, an atlas keeps it, also between images
 */
export function poster(
  images: readonly Uint8Array[],
  size: Size,
  kind: Exclude<SheetKind, "compared">,
  transparent?: Colour,
): Images {
  const layout = layoutOf(images.length, size, kind), { columns, count, scale, gap } = layout;
  const area = areaOf(size), channels = images[0].length / area, shape = { ...layout.size, channels };
  const pixels = new Uint8Array(lengthOf(shape)), whole = areaOf(shape);
  for (let channel = 0; channel < channels; channel++) {
    const ground = kind === "atlas" && transparent ? transparent[channel] : PAPER;
    pixels.fill(ground, channel * whole, (channel + 1) * whole);
  }
  const isPaper = (image: Uint8Array, p: number) => {
    return kind === "new" && transparent?.every((value, channel) => image[channel * area + p] === value);
  };
  for (const [i, image] of images.slice(0, count).entries()) {
    const left = gap + i % columns * (size.width * scale + gap);
    const top = gap + Math.floor(i / columns) * (size.height * scale + gap);
    for (let p = 0; p < area; p++) {
      if (isPaper(image, p)) continue;
      const x = left + p % size.width * scale, y = top + Math.floor(p / size.width) * scale;
      for (let channel = 0; channel < channels; channel++) {
        for (let row = y; row < y + scale; row++) {
          const at = channel * whole + row * shape.width + x;
          pixels.fill(image[channel * area + p], at, at + scale);
        }
      }
    }
  }
  return { count: 1, ...shape, pixels };
}

/** Lays out as many of `images` images as a picture holds. */
function layoutOf(images: number, { height, width }: Size, kind: SheetKind): Layout {
  const gap = kind === "atlas" ? 0 : GAP,
    most = kind === "atlas" ? 1 : Math.floor(IMAGE_SIDE / Math.max(height, width));
  for (let scale = Math.max(1, most);; scale--) {
    const cell = { height: height * scale + gap, width: width * scale + gap };
    const fitting = (side: number) => Math.max(1, Math.floor((LARGEST_SIDE - gap) / side));
    const square = Math.ceil(Math.sqrt(images * cell.height / cell.width));
    const columns = Math.min(images, square, fitting(cell.width)), rows = Math.ceil(images / columns);
    const shown = Math.min(rows, fitting(cell.height));
    if (shown < rows && scale > 1) continue;
    const whole = { height: gap + shown * cell.height, width: gap + columns * cell.width };
    return { columns, count: Math.min(images, shown * columns), scale, gap, size: whole };
  }
}
