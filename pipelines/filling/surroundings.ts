/** The part of a picture from which a hole is filled. */
import { areaOf, type Size } from "../../core/shape.ts";
import { missingBox } from "./holed_picture.ts";
import type { PictureValues } from "./picture_samples.ts";

/** The part reaches beyond the hole by so many of its longer sides, and by so many pixels at least. */
const SIDES = 1.5, MIN_BEYOND = 200;

/** A part of a picture, and where it lies. */
interface Surroundings extends PictureValues {
  readonly top: number;
  readonly left: number;
  /** height x width: 1 where a pixel is missing. */
  readonly missing: Uint8Array;
}

/** Cuts the surroundings of a hole out. The rest of a large photograph is far away, and would cost time. */
export function surroundingsOf(picture: PictureValues, missing: Uint8Array): Surroundings {
  const { height, width, channels, values } = picture, area = areaOf(picture);
  const box = missingBox(picture, missing), longer = Math.max(box.bottom - box.top, box.right - box.left);
  const beyond = Math.max(MIN_BEYOND, Math.ceil(SIDES * (longer - 1)));
  const top = Math.max(0, box.top - beyond), left = Math.max(0, box.left - beyond);
  const bottom = Math.min(height, box.bottom + beyond), right = Math.min(width, box.right + beyond);
  const size = { height: bottom - top, width: right - left }, partArea = areaOf(size);
  const from = (i: number) => (top + Math.floor(i % partArea / size.width)) * width + left + i % size.width;
  return {
    ...size,
    channels,
    top,
    left,
    values: Float32Array.from({ length: channels * partArea }, (_, i) => {
      return values[Math.floor(i / partArea) * area + from(i % partArea)];
    }),
    missing: Uint8Array.from({ length: partArea }, (_, i) => missing[from(i)]),
  };
}

/** The sources of a whole picture, of which all but the surroundings stay what they are. */
export function wholeSources(
  { top, left, width, missing }: Surroundings,
  sources: Int32Array,
  whole: Size,
): Int32Array {
  const out = Int32Array.from({ length: areaOf(whole) }, (_, p) => p);
  const inWhole = (p: number) => (top + Math.floor(p / width)) * whole.width + left + p % width;
  sources.forEach((source, p) => {
    if (missing[p]) out[inWhole(p)] = inWhole(source);
  });
  return out;
}
