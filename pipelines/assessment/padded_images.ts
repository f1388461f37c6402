/** Images as metrics take them: of the profile's size, one after another. Plain data that can be posted to a worker. */
import { pad } from "../../core/pyramid.ts";
import { lengthOf, type Size } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";

/** Takes the chosen images, padded to a size; they keep their channels. */
export function paddedImages({ images }: LabelledImages, chosen: ArrayLike<number>, size: Size): Images {
  const { height, width } = size, { channels = 1 } = images, length = lengthOf({ height, width, channels });
  const pixels = new Uint8Array(chosen.length * length);
  for (let i = 0; i < chosen.length; i++) {
    pad(images, chosen[i], size, pixels.subarray(i * length, (i + 1) * length));
  }
  return { count: chosen.length, height, width, channels, pixels };
}

/** Halves images, averaging four pixels to one, until no side is above `most`, or one is odd. */
export function reduced(images: Images, most: number): Images {
  const { height, width, pixels } = images;
  if (Math.max(height, width) <= most || height % 2 !== 0 || width % 2 !== 0) return images;
  const across = width / 2, half = new Uint8Array(pixels.length / 4);
  for (let p = 0; p < half.length; p++) {
    // Rows of all images and channels lie one after another, and each has an even number of them.
    const first = 2 * width * Math.floor(p / across) + 2 * (p % across);
    half[p] = (pixels[first] + pixels[first + 1] + pixels[first + width] + pixels[first + width + 1] + 2) >> 2;
  }
  return reduced({ ...images, height: height / 2, width: across, pixels: half }, most);
}

/** Returns each image as a vector of its values, in [0, 1]. */
export function unitVectors(images: Images): Float32Array[] {
  const { count, pixels } = images, length = lengthOf(images);
  return Array.from(
    { length: count },
    (_, i) => Float32Array.from(pixels.subarray(i * length, (i + 1) * length), (value) => value / 255),
  );
}
