/** An image of a part as formats encode it, and the files of a part. */
import type { Shape } from "../../core/shape.ts";
import type { SharedStructure } from "../run/structures.ts";
import type { Colour } from "../../datasets/formats/colour.ts";

/** A file of a part: its path below the folder of results, and its content. */
export type PartFile = readonly [name: string, bytes: Uint8Array];

/** An image of a part. Training images are named by their numbers in the data. */
export interface PartImage {
  /** The number of the image in the whole run. */
  readonly index: number;
  /** Its class, if classes count. */
  readonly label?: number;
  /** The random seed of the run. */
  readonly seed: number;
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** Distance to the nearest training image relative to that one's own distance to its nearest; undefined for textures. */
  readonly originality?: number;
  /** The nearest training image; undefined for textures. */
  readonly nearest?: { readonly image: number; readonly distance: number };
  /** The structure that it shares with a training image; given if the run limits it. */
  readonly structure?: SharedStructure;
  /** The log-likelihood in nats, if it was measured. */
  readonly ll?: number;
  /** How often the image was drawn; given if the run has limits. */
  readonly tries?: number;
  /** The training images that most of its pixels came from, largest share first; -1: no copies. */
  readonly sources: readonly { readonly image: number; readonly share: number }[];
}

/** What all images of a part have in common. */
export interface PartContext {
  /** How many images the whole run has. */
  readonly count: number;
  readonly shape: Required<Shape>;
  /** The colour that stands for transparent pixels. */
  readonly transparent?: Colour;
  /** The names of the classes, if they have names. */
  readonly classes?: readonly string[];
  /** The labels of the whole run; [] if classes do not count. */
  readonly labels: readonly number[];
}

/**
 * Encodes the images of a part, which are in the order of their numbers. Returns the contents of the files of `partNames`, in
 * that order. Equal images give equal bytes.
 */
export type PartEncoder = (images: readonly PartImage[], context: PartContext) => Uint8Array[];

/**
 * What is said of an image beside its pixels, as plain data: the entries of its line in `metadata-RANGE.jsonl`, its JSON file
 * in a tar file, and its columns in Parquet.
 */
export function metadataOf({ pixels: _, ...image }: PartImage): Omit<PartImage, "pixels"> {
  // JSON has no Infinity, which is the originality beside training images that are all equal.
  const { originality } = image;
  return { ...image, ...originality !== undefined && !Number.isFinite(originality) && { originality: undefined } };
}

/** Values as lines of JSON. */
export function jsonLines(values: readonly object[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(values.map((value) => JSON.stringify(value) + "\n").join(""));
}
