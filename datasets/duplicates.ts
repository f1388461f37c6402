/** Finds images that are the same as others of their set, byte for byte. */
import { lengthOf } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import { crc32 } from "./formats/crc32.ts";

/** An image that is the same as an earlier one, by their numbers. */
export interface Duplicate {
  readonly image: number;
  /** The first image of the same bytes. */
  readonly first: number;
}

/** Returns the duplicates of a set, in their order. */
export function duplicatesOf(images: Images): Duplicate[] {
  const length = lengthOf(images);
  const pixelsOf = (i: number) => images.pixels.subarray(i * length, (i + 1) * length);
  const firsts = new Map<number, number[]>();
  const duplicates: Duplicate[] = [];
  for (let image = 0; image < images.count; image++) {
    const pixels = pixelsOf(image);
    const sum = crc32(pixels);
    const alike = firsts.get(sum) ?? [];
    const first = alike.find((other) => pixelsOf(other).every((value, p) => value === pixels[p]));
    if (first === undefined) firsts.set(sum, [...alike, image]);
    else duplicates.push({ image, first });
  }
  return duplicates;
}
