/** Mirror images, to learn from twice as many. */
import type { Images } from "../core/types.ts";
import type { DataSet, LabelledImages } from "./data_set.ts";

/** Returns the images, and after them the mirror image of each: image `count` + i is that of image i, left and right exchanged. */
export function withMirrorImages({ images, labels }: LabelledImages): LabelledImages {
  const { count, width, pixels } = images;
  const both = new Uint8Array(2 * pixels.length);
  both.set(pixels);
  for (let p = 0; p < pixels.length; p++) {
    const x = p % width;
    both[pixels.length + p] = pixels[p - x + width - 1 - x];
  }
  const mirrored: Images = { ...images, count: 2 * count, pixels: both };
  if (!labels) return { images: mirrored };
  const twice = new Uint8Array(2 * labels.length);
  twice.set(labels);
  twice.set(labels, labels.length);
  return { images: mirrored, labels: twice };
}

/** Adds the mirror images of the training images to a data set. Images that were left out get none. */
export function withMirroredTraining(data: DataSet): DataSet {
  const { train, kept } = data;
  const mirrored = { ...data, train: withMirrorImages(train), copies: 2 * (data.copies ?? 1) };
  if (!kept) return mirrored;
  const { numbers, all } = kept;
  const both = new Uint32Array(2 * numbers.length);
  both.set(numbers);
  both.set(numbers.map((number) => all + number), numbers.length);
  return { ...mirrored, kept: { numbers: both, all: 2 * all, real: kept.real ?? all } };
}
