import { lengthOf, type Shape } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import type { Crop } from "./crops.ts";

/** Images, with the class of each where the data has classes. */
export interface LabelledImages {
  /** The images. */
  readonly images: Images;
  /** One label an image, 0..255. */
  readonly labels?: Uint8Array;
}

/** Seed images as such, of the last of the profile's sizes. */
export interface SeedImages extends Shape {
  /** Number of seed images. */
  readonly count: number;
  /** count x channels x height x width values in [0, 1]. */
  readonly images: Float32Array;
  /** One label an image, 0..255, where the training images have classes. */
  readonly labels?: Uint8Array;
}

/** What a profile is run on: examples to draw patches from, and images held out from them to take seed images from. */
export interface DataSet {
  /** `mnist`, `faces` or the name of a folder or file. */
  readonly name: string;
  /** One line for people: what it is and where it came from. */
  readonly origin: string;
  /** What it is, without where it lies; the name where it is left out. */
  readonly title?: string;
  /** The training images. */
  readonly train: LabelledImages;
  /** None where the data is a pack: then there are `seeds`. */
  readonly test: LabelledImages;
  /** Seed images that take the place of the test images'. */
  readonly seeds?: SeedImages;
  /** What the training images are crops of, in their order, where exemplars have different sizes; each of one image. */
  readonly exemplars?: { readonly images: readonly Images[]; readonly crops: readonly Crop[] };
  /** What was read, with the SHA-256 of its bytes in hexadecimal. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

/** The images of these numbers. */
export function pick({ images, labels }: LabelledImages, numbers: readonly number[]): LabelledImages {
  const length = lengthOf(images), pixels = new Uint8Array(numbers.length * length);
  numbers.forEach((from, to) => pixels.set(images.pixels.subarray(from * length, (from + 1) * length), to * length));
  const picked = { images: { ...images, count: numbers.length, pixels } };
  return labels ? { ...picked, labels: Uint8Array.from(numbers, (i) => labels[i]) } : picked;
}

/** An empty set of images of the same shape, with labels where the given set has them. */
export function noneOf({ images, labels }: LabelledImages): LabelledImages {
  return { images: { ...images, count: 0, pixels: new Uint8Array() }, ...labels && { labels: new Uint8Array() } };
}
