/** Data augmentation that mixes images: mixup, SMOTE and a Gaussian. Images are bytes of one length. */
import { byteOf } from "../../core/bytes.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { nearestIn, rowsOf } from "../../core/nearest.ts";
import { normals } from "../../core/normals.ts";
import { type Stream, stream } from "../../core/random.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { LabelledImages } from "../../datasets/data_set.ts";

/** The names of the ways. */
export const blendKinds = ["mixup", "smote", "gaussian"] as const;

/** One of the ways. */
export type BlendKind = typeof blendKinds[number];

/** Keys the random numbers of blends. */
const BLEND_STREAM = 0x626c6e64;

/** Neighbours that SMOTE draws from (Chawla, Bowyer, Hall and Kegelmeyer, "SMOTE", 2002). */
const SMOTE_NEIGHBOURS = 5;

/** What blends are made of. */
interface BlendInput {
  readonly kernels: Kernels;
  readonly real: LabelledImages;
  readonly seed: number;
  /** Keys the random numbers together with the seed. */
  readonly draw: number;
}

/** Makes `count` images of a class. */
export function blend(
  kind: BlendKind,
  { kernels, real: { images, labels }, seed, draw }: BlendInput,
  label: number,
  count: number,
): Images {
  const length = lengthOf(images),
    ofClass = numbersOfClass(labels, label, images.count),
    random = stream(seed, BLEND_STREAM, draw, label);
  const pixels = new Uint8Array(count * length),
    imageOf = (n: number) => images.pixels.subarray(n * length, (n + 1) * length);
  const any = (numbers: ArrayLike<number>) => numbers[Math.floor(random.next() * numbers.length)];
  const mix = (i: number, a: number, b: number, share: number) => {
    const one = imageOf(a), other = imageOf(b), at = i * length;
    for (let p = 0; p < length; p++) pixels[at + p] = Math.floor(one[p] + share * (other[p] - one[p]) + 0.5);
  };
  if (kind === "gaussian") drawGaussian(kernels, Array.from(ofClass, imageOf), random, pixels);
  if (kind === "mixup") {
    // The label is that of the larger share, because classifiers here take one label for each image.
    for (let i = 0; i < count; i++) mix(i, any(ofClass), Math.floor(random.next() * images.count), arcsine(random));
  }
  if (kind === "smote") {
    const neighbours = neighboursOf(kernels, images, ofClass), k = neighbours.length / ofClass.length;
    for (let i = 0; i < count; i++) {
      const n = Math.floor(random.next() * ofClass.length),
        other = k === 0 ? n : neighbours[n * k + Math.floor(random.next() * k)];
      mix(i, ofClass[n], ofClass[other], random.next());
    }
  }
  return { ...images, count, pixels };
}

/** Draws the smaller of the shares of a mixup with alpha = 1/2: a Beta(1/2, 1/2) number is the squared cosine of a random angle. */
function arcsine(random: Stream): number {
  for (;;) {
    const a = 2 * random.next() - 1, b = 2 * random.next() - 1, s = a * a + b * b;
    if (s > 0 && s <= 1) return Math.min(a * a, b * b) / s;
  }
}

/** Finds, for each image of a class, the nearest other images of the class, by their positions in `ofClass`. */
function neighboursOf(kernels: Kernels, images: Images, ofClass: Uint32Array): Int32Array {
  const k = Math.min(SMOTE_NEIGHBOURS, ofClass.length - 1), length = lengthOf(images);
  if (k === 0) return new Int32Array();
  const pixels = new Uint8Array(ofClass.length * length);
  ofClass.forEach((n, i) => pixels.set(images.pixels.subarray(n * length, (n + 1) * length), i * length));
  return borrowing(kernels, () => {
    const set = rowsOf(kernels, { ...images, count: ofClass.length, pixels });
    return nearestIn(kernels, set, set, k, (query) => query).index;
  });
}

/**
 * Draws from the Gaussian with the mean and covariance of images. A weighted sum of the images' deviations with normal weights has
 * their covariance, and needs no matrix.
 */
function drawGaussian(kernels: Kernels, images: readonly Uint8Array[], random: Stream, out: Uint8Array): void {
  const [{ length }] = images, mean = new Float64Array(length), value = new Float64Array(length);
  for (const image of images) for (let p = 0; p < length; p++) mean[p] += image[p] / images.length;
  for (let at = 0; at < out.length; at += length) {
    const weights = normals(kernels, random, images.length);
    value.set(mean);
    images.forEach((image, n) => {
      const weight = weights[n] / Math.sqrt(Math.max(images.length - 1, 1));
      for (let p = 0; p < length; p++) value[p] += weight * (image[p] - mean[p]);
    });
    for (let p = 0; p < length; p++) out[at + p] = byteOf(value[p] / 255);
  }
}
