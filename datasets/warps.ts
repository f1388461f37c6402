/**
 * Small deformations of images, such as handwriting has: affine and elastic ones. Only additions, products and quotients are used,
 * which every host rounds alike, so that the bytes are the same everywhere.
 */
import { range } from "../core/numbers.ts";
import { type Stream, stream } from "../core/random.ts";
import { lengthOf, type Shape } from "../core/shape.ts";
import type { Images } from "../core/types.ts";
import { type DataSet, type LabelledImages, pick } from "./data_set.ts";

/** The kinds: "affine" moves, scales, turns and shears an image; "elastic" bends it; "both" does both. */
export const warpKinds = ["affine", "elastic", "both"] as const;

/** A kind of deformation. */
export type WarpKind = typeof warpKinds[number];

/** Keys the random numbers of warps. */
const WARP_STREAM = 0x77617270;

/**
 * The ranges of an affine warp: each value is uniform between minus and plus this. Turns by up to 11 degrees (in radians here), scales
 * by up to 15 % and moves by up to a fourteenth of a side (2 pixels of MNIST) are the usual ones for handwriting (Simard, Steinkraus
 * and Platt, "Best Practices for Convolutional Neural Networks Applied to Visual Document Analysis", 2003, have 15 degrees and 15 %).
 */
const AFFINE = { turn: 0.2, scale: 0.15, shear: 0.2, move: 1 / 14 };

/**
 * An elastic warp moves pixels by a cubic spline through random values at points a `points`-th of a side apart, uniform between minus
 * and plus `bend` sides. Pixels move by 0.7 pixels of MNIST (standard deviation), half as much as those of Simard, Steinkraus and
 * Platt, and neighbours nearly alike, as theirs. Twice this strength taught a classifier of gradients 0.8 points less, and a Gaussian
 * SVM about as much (10 digits a class, 2 draws): a weak reason, and the smaller deformation was kept.
 */
const ELASTIC = { points: 6, bend: 0.09 };

/**
 * Deforms one image.
 *
 * @param image channels x height x width bytes
 * @param random the numbers that the deformation is made of
 * @param strength scales the ranges that they are drawn from
 * @returns as many bytes; what comes from beyond the border repeats the border
 */
export function warpImage(image: Uint8Array, shape: Shape, kind: WarpKind, random: Stream, strength = 1): Uint8Array {
  const { height, width } = shape;
  const within = (most: number) => (2 * random.next() - 1) * most * strength;
  const isAffine = kind !== "elastic";
  const isElastic = kind !== "affine";
  const [turn, shear, down, across] = [AFFINE.turn, AFFINE.shear, AFFINE.scale, AFFINE.scale].map((most) =>
    isAffine ? within(most) : 0
  );
  const [moveY, moveX] = [height, width].map((side) => isAffine ? within(AFFINE.move) * side : 0);
  const bends = isElastic ? [bend(shape, height, within), bend(shape, width, within)] : undefined;
  const middleY = (height - 1) / 2;
  const middleX = (width - 1) / 2;
  const fromY = new Float64Array(height * width);
  const fromX = new Float64Array(height * width);
  for (let y = 0, p = 0; y < height; y++) {
    const dy = y - middleY;
    for (let x = 0; x < width; x++, p++) {
      const dx = x - middleX;
      fromY[p] = middleY + moveY + (1 + down) * dy + turn * dx + (bends ? bends[0][p] : 0);
      fromX[p] = middleX + moveX + (1 + across) * dx + (shear - turn) * dy + (bends ? bends[1][p] : 0);
    }
  }
  return resampled(image, shape, fromY, fromX);
}

/**
 * Moves the pixels of an image, interpolating between four of them.
 *
 * @param image channels x height x width bytes
 * @param fromY the row that each pixel of the result comes from, in pixels; any number: what lies beyond the border repeats the border
 * @param fromX the column
 * @returns channels x `fromY.length` bytes
 */
export function resampled(
  image: Uint8Array,
  { height, width, channels = 1 }: Shape,
  fromY: Float64Array,
  fromX: Float64Array,
): Uint8Array {
  const area = fromY.length;
  const out = new Uint8Array(channels * area);
  for (let p = 0; p < area; p++) {
    const y = Math.min(Math.max(fromY[p], 0), height - 1);
    const x = Math.min(Math.max(fromX[p], 0), width - 1);
    const top = Math.floor(y);
    const left = Math.floor(x);
    const v = y - top;
    const u = x - left;
    const below = Math.min(top + 1, height - 1) * width;
    const right = Math.min(left + 1, width - 1);
    const above = top * width;
    for (let channel = 0; channel < channels; channel++) {
      const at = channel * height * width;
      const upper = (1 - u) * image[at + above + left] + u * image[at + above + right];
      const lower = (1 - u) * image[at + below + left] + u * image[at + below + right];
      out[channel * area + p] = Math.floor((1 - v) * upper + v * lower + 0.5);
    }
  }
  return out;
}

/** Draws a smooth field: by how many pixels each pixel moves along a side of `side` pixels. */
function bend({ height, width }: Shape, side: number, within: (most: number) => number): Float64Array {
  // A cubic spline reaches one point beyond each end, and one more at the last pixel.
  const count = ELASTIC.points + 3;
  const points = Float64Array.from({ length: count * count }, () => within(ELASTIC.bend) * side);
  const down = splineWeights(height);
  const across = splineWeights(width);
  const field = new Float64Array(height * width);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let j = 0; j < 4; j++) {
        const row = (down[y].first + j) * count + across[x].first;
        const { weights } = across[x];
        let line = 0;
        for (let i = 0; i < 4; i++) line += weights[i] * points[row + i];
        sum += down[y].weights[j] * line;
      }
      field[y * width + x] = sum;
    }
  }
  return field;
}

/** For each of `length` pixels, the first of the four points around it and their weights in a cubic B-spline. */
function splineWeights(length: number): { readonly first: number; readonly weights: readonly number[] }[] {
  return Array.from({ length }, (_, i) => {
    const at = i / Math.max(length - 1, 1) * ELASTIC.points;
    const first = Math.min(Math.floor(at), ELASTIC.points - 1);
    const t = at - first;
    const s = 1 - t;
    const square = t * t;
    const cube = square * t;
    const weights = [s * s * s / 6, (3 * cube - 6 * square + 4) / 6, (3 * (square + t - cube) + 1) / 6, cube / 6];
    return { first, weights };
  });
}

/** Deforms images of a set: one result for each of `numbers`, which name images and may repeat. */
export function warpImages(
  images: Images,
  numbers: ArrayLike<number>,
  kind: WarpKind,
  { seed, first = 0 }: {
    readonly seed: number; /** Keys the first deformation; the others follow. */
    readonly first?: number;
  },
): Images {
  const length = lengthOf(images);
  const pixels = new Uint8Array(numbers.length * length);
  for (let i = 0; i < numbers.length; i++) {
    const image = images.pixels.subarray(numbers[i] * length, (numbers[i] + 1) * length);
    pixels.set(warpImage(image, images, kind, stream(seed, WARP_STREAM, first + i)), i * length);
  }
  return { ...images, count: numbers.length, pixels };
}

/**
 * Returns the images, and after them `copies` deformed copies of each: copy c = 1 .. `copies` of image i has number
 * c x `count` + i.
 */
export function withWarpedImages(set: LabelledImages, copies: number, seed: number): LabelledImages {
  const { count } = set.images;
  const numbers = Array.from(range(count * (copies + 1)), (n) => n % count);
  const all = pick(set, numbers);
  const length = lengthOf(set.images);
  all.images.pixels.set(warpImages(set.images, numbers.slice(count), "both", { seed }).pixels, count * length);
  return all;
}

/**
 * Adds deformed copies of the training images to a data set: always the same ones. Images that were left out get none.
 */
export function withWarpedTraining(data: DataSet, copies: number): DataSet {
  const { train, kept } = data;
  const warped = { ...data, train: withWarpedImages(train, copies, 0), copies: (copies + 1) * (data.copies ?? 1) };
  if (!kept) return warped;
  const { numbers, all } = kept;
  const many = new Uint32Array((copies + 1) * numbers.length);
  for (let copy = 0; copy <= copies; copy++) many.set(numbers.map((n) => copy * all + n), copy * numbers.length);
  return { ...warped, kept: { numbers: many, all: (copies + 1) * all, real: kept.real ?? all } };
}
