/** Pads images with the colour of their border: black around drawings on white paper would be a frame in every result. */
import { lengthOf, shapeText, type Size } from "../core/shape.ts";
import { pad, paddingOf } from "../core/pyramid.ts";
import type { Images } from "../core/types.ts";
import type { Colour } from "./formats/colour.ts";

/** The colour of a set's border: in each channel the median of the outermost pixels of all images. */
export function borderColour({ count, height, width, channels = 1, pixels }: Images): number[] {
  const area = height * width;
  return Array.from({ length: channels }, (_, channel) => {
    const times = new Uint32Array(256);
    let total = 0;
    for (let i = 0; i < count; i++) {
      const plane = pixels.subarray((i * channels + channel) * area, (i * channels + channel + 1) * area);
      for (let y = 0; y < height; y++) {
        const step = y === 0 || y === height - 1 ? 1 : Math.max(1, width - 1);
        for (let x = 0; x < width; x += step, total++) times[plane[y * width + x]]++;
      }
    }
    let value = 0;
    for (let seen = times[0]; 2 * seen < total;) seen += times[++value];
    return value;
  });
}

/** Images in the middle of a larger size, with a colour around them: one value for each channel. */
export function padded(images: Images, size: Size, colour: readonly number[]): Images {
  const { count, height, width, channels = 1 } = images;
  const length = lengthOf({ ...size, channels });
  const area = length / channels;
  const pixels = new Uint8Array(count * length);
  const { top, left } = paddingOf(images, size);
  for (let i = 0; i < count; i++) {
    const out = pixels.subarray(i * length, (i + 1) * length);
    pad(images, i, size, out);
    for (let p = 0; p < area; p++) {
      const y = Math.floor(p / size.width) - top;
      const x = p % size.width - left;
      if (y >= 0 && y < height && x >= 0 && x < width) continue;
      for (let channel = 0; channel < channels; channel++) out[channel * area + p] = colour[channel];
    }
  }
  return { ...images, ...size, pixels };
}

/** Bytes that images may become by padding, whatever their size was. */
const SMALL = 2 ** 28;
/** By how much more than that padding may enlarge them: 8x8 images of a profile of 32x32. */
const MAX_GROWTH = 16;
/** Bytes of padded images with their pyramids, a third more, at most: the memory of kernels. */
const MAX_BYTES = 2 ** 32, PYRAMID = 4 / 3;

/**
 * Checks how many bytes images become when they are padded to a size, before any memory is taken: memory is to be in proportion to
 * the bytes that are there.
 *
 * @throws {Error} if they become more than 256 MiB and more than 16 times what they are, or more than kernels hold
 */
export function checkPadding({ count, height, width, channels = 1 }: Images, size: Size): void {
  const before = count * height * width * channels, after = count * size.height * size.width * channels;
  const most = Math.min(Math.max(SMALL, MAX_GROWTH * before), MAX_BYTES / PYRAMID);
  if (after <= most || after <= before) return;
  const megabytes = (bytes: number) => `${Math.floor(bytes / 1e6)} MB`;
  throw new Error(
    `Cannot pad ${count} images of ${shapeText({ height, width })} pixels to ${shapeText(size)}: ` +
      `expected at most ${megabytes(most)}, got ${megabytes(after)}`,
  );
}

/**
 * The colour to pad images to a size with; undefined if they have the size, are larger, or have a black border, which is what
 * synthesis itself pads with.
 */
export function paddingColour(images: Images, size: Size): number[] | undefined {
  const { count, height, width } = images;
  const fits = height <= size.height && width <= size.width;
  if (count === 0 || !fits || height === size.height && width === size.width) return undefined;
  const colour = borderColour(images);
  return colour.some((value) => value > 0) ? colour : undefined;
}

/**
 * Images of a size: smaller ones are padded with the colour of their border where it is not black.
 *
 * @param given the colour to pad with, if others that they are compared with were padded
 */
export function paddedWithBorderColour(images: Images, size: Size, given?: readonly number[]): Images {
  checkPadding(images, size);
  const own = paddingColour(images, size);
  return own ? padded(images, size, given ?? own) : images;
}

/** A colour in words: `grey 255`, or `#ff8800`. */
export function colourText(colour: readonly number[] | Colour): string {
  if (colour.length === 1) return colour[0] === 255 ? "white" : `grey ${colour[0]}`;
  const hex = colour.map((value) => value.toString(16).padStart(2, "0")).join("");
  return hex === "ffffff" ? "white" : hex === "000000" ? "black" : `#${hex}`;
}
