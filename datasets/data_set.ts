import { lengthOf, type Shape, type Size } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import type { Crop } from "./crops.ts";

/** Images, and the class of each if the data has classes. */
export interface LabelledImages {
  /** The images. */
  readonly images: Images;
  /** One label per image, 0..255. */
  readonly labels?: Uint8Array;
}

/** Seed images at their own size: the last level of the profile's pyramid. */
export interface SeedImages extends Shape {
  /** Number of seed images. */
  readonly count: number;
  /** count x channels x height x width values in [0, 1]. */
  readonly images: Float32Array;
  /** One label per image, 0..255, if the training images have classes. */
  readonly labels?: Uint8Array;
}

/** Which of all training images, or exemplars, are there. */
export interface KeptImages {
  /** Their numbers among all, ascending. */
  readonly numbers: Uint32Array;
  /** How many there are in all. */
  readonly all: number;
  /** How many of these are no copies or morphs of others, which are numbered after them; all where it is left out. */
  readonly real?: number;
}

/** Which training images are morphs. */
export interface MorphedImages {
  /** How many numbers training images and morphs have. Copies of them are numbered after these, in the same order. */
  readonly all: number;
  /** The training images that each morph was made of, in equal shares, by their numbers: two, or four. */
  readonly parents: ReadonlyMap<number, readonly number[]>;
}

/** Training images to draw patches from, and test images, which are not among them, to make seed images of. */
export interface DataSet {
  /** `mnist`, `faces` or the name of a folder or file. */
  readonly name: string;
  /** One line for people: what it is and where it came from. */
  readonly origin: string;
  /** What it is, without its path; `name` by default. */
  readonly title?: string;
  /** What is likely to be wrong with the images: a sentence. */
  readonly warning?: string;
  /** Given if the images are drawn by rule: they are so alike that some hundreds are not few. */
  readonly isDrawn?: true;
  /** The names of the classes, if they are not named by numbers: label i is that of `classes[i]`. */
  readonly classes?: readonly string[];
  /** The colour that stands for transparent pixels, of pixel art. */
  readonly transparent?: readonly [red: number, green: number, blue: number];
  /** The colour that images were padded with to the profile's size, one value for each channel; undefined where it is black. */
  readonly padding?: readonly number[];
  /** The size of the images before they were padded with that colour. */
  readonly paddedFrom?: Size;
  /** The training images. */
  readonly train: LabelledImages;
  /** The test images. Empty if the data is a pack, which has `seeds` instead. */
  readonly test: LabelledImages;
  /**
   * The numbers of the test images among all images of the file or folder, if they were held out from these; ascending. The others,
   * numbered anew in their order, are the training images.
   */
  readonly heldOut?: readonly number[];
  /** Seed images that replace those made of test images. */
  readonly seeds?: SeedImages;
  /** The exemplars, each a set of one image, that the training images are crops of, if exemplars differ in size. */
  readonly exemplars?: { readonly images: readonly Images[]; readonly crops: readonly Crop[] };
  /** Which training images, or exemplars, are there, if some were left out. */
  readonly kept?: KeptImages;
  /** How many training images stand for one: its copies, mirrored or deformed, follow after all images; 1 by default. */
  readonly copies?: number;
  /** Which of the training images are morphs of others, if there are any. */
  readonly morphs?: MorphedImages;
  /** The training images without morphs, if there are any: what images must not be copies of. */
  readonly real?: Pick<DataSet, "train" | "kept">;
  /** The files that were read, with the SHA-256 of their bytes in hexadecimal. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
  /** For pictures: the name of the file of each training image by its number, with those that were left out. */
  readonly pictures?: readonly string[];
}

/** The images of these numbers, in this order, with their labels. */
export function pick({ images, labels }: LabelledImages, numbers: readonly number[]): LabelledImages {
  const length = lengthOf(images);
  const pixels = new Uint8Array(numbers.length * length);
  numbers.forEach((from, to) => pixels.set(images.pixels.subarray(from * length, (from + 1) * length), to * length));
  const picked = { images: { ...images, count: numbers.length, pixels } };
  return labels ? { ...picked, labels: Uint8Array.from(numbers, (i) => labels[i]) } : picked;
}

/** An empty set of images of the same shape, with labels where the given set has them. */
export function noneOf({ images, labels }: LabelledImages): LabelledImages {
  return { images: { ...images, count: 0, pixels: new Uint8Array() }, ...labels && { labels: new Uint8Array() } };
}
