/** Generators of images whose faults are known, over the drawn digits, and the bench on which metrics judge them. */
import { assertEquals } from "@std/assert";
import type { Kernels } from "../../../core/kernels.ts";
import type { AnyPlugin, Plugin } from "../../../core/plugin.ts";
import { pad } from "../../../core/pyramid.ts";
import { stream } from "../../../core/random.ts";
import { optionValues } from "../../../core/options.ts";
import type { Rows } from "../../../core/types.ts";
import type { MetricInput, MetricResult } from "../../../core/metric.ts";
import { squareOf } from "../../../core/shape.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { generatorHash } from "../../../hosts/deno/data/builtin_cache.ts";
import { readData } from "../../../hosts/deno/data/read_data.ts";
import { withIdx } from "../../hosts/deno/with_idx.ts";
import { put, wasm } from "../../kernels_under_test.ts";
import { once } from "../../once.ts";

/** Square images, one after another, with a class each. */
export interface ImageSet {
  readonly count: number;
  readonly size: number;
  readonly pixels: Uint8Array;
  readonly labels: Uint8Array;
}

/** Images that a generator may learn from, images to compare it with, and images that it would make if it were perfect. */
export interface World {
  readonly training: ImageSet;
  readonly heldOut: ImageSet;
  readonly second: ImageSet;
}

/** Drawn digits as the digits' profile has them, 32x32: of each class 100 to train on, 60 held out, 60 more. */
export function drawnWorld(): World {
  const tests = padded(test);
  return { training: padded(train), heldOut: pick(tests, first(600)), second: pick(tests, first(600, 600)) };
}

/** How many digits of each class are drawn, by their splits: once for all tests of metrics. */
const DRAWN = { train: 100, test: 120 };
const kept = await once("digits", await generatorHash(), (folder) => {
  return withIdx(folder, proceduralDigits("train", DRAWN.train), proceduralDigits("test", DRAWN.test));
});
const { train, test } = await readData(kept);

function padded({ images, labels }: LabelledImages): ImageSet {
  const size = 32, { count } = images;
  const pixels = new Uint8Array(count * size * size);
  for (let i = 0; i < count; i++) {
    pad(images, i, squareOf(size), pixels.subarray(i * size * size, (i + 1) * size * size));
  }
  return { count, size, pixels, labels: labels! };
}

/** `count` numbers in a row. */
export const first = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i);

/** The images of these numbers, in this order. */
export function pick({ size, pixels, labels }: ImageSet, numbers: readonly number[]): ImageSet {
  const all = imagesOf({ count: labels.length, size, pixels, labels });
  return setOf(numbers.map((i) => all[i]), numbers.map((i) => labels[i]));
}

/** A world of one of its classes. */
export function ofClass({ training, heldOut, second }: World, label: number): World {
  const only = (set: ImageSet) => pick(set, first(set.count).filter((i) => set.labels[i] === label));
  return { training: only(training), heldOut: only(heldOut), second: only(second) };
}

/** A set of images that are given as rows of bytes, of class 0 by default. */
export function setOf(images: readonly ArrayLike<number>[], labels?: ArrayLike<number>): ImageSet {
  const length = images[0]?.length ?? 1, pixels = new Uint8Array(images.length * length);
  images.forEach((image, i) => pixels.set(image, i * length));
  return {
    count: images.length,
    size: Math.sqrt(length),
    pixels,
    labels: Uint8Array.from(labels ?? pixels.map(() => 0)),
  };
}

/** Images of one pixel: points on a line, where distances are plain to see. */
export const line = (...greys: number[]) => setOf(greys.map((grey) => [grey]));

/** The images of a set, as views. */
export function imagesOf({ count, size, pixels }: ImageSet): Uint8Array[] {
  return first(count).map((i) => pixels.subarray(i * size * size, (i + 1) * size * size));
}

/** The L2 distance of two images, pixels in [0, 1]. */
export function distance(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += ((a[p] - b[p]) / 255) ** 2;
  return Math.sqrt(sum);
}

/** The distances of all images of one set to all of another. */
export function distancesOf(from: ImageSet, to: ImageSet): number[][] {
  const others = imagesOf(to);
  return imagesOf(from).map((image) => others.map((other) => distance(image, other)));
}

/** The distance of each image to its k-th nearest other one of the set. */
export function radii(set: ImageSet, k: number): number[] {
  return distancesOf(set, set).map((row, i) => row.filter((_, j) => j !== i).sort((a, b) => a - b)[k - 1]);
}

/** Sets to compare a metric with its definition on: points of few grey levels, so many ties and copies, and digits. */
export function subjects(): Subject[] {
  const random = stream(7),
    points = () => line(...first(6 + Math.floor(6 * random.next())).map(() => 9 * random.next()));
  const { training, second } = ofClass(drawnWorld(), 3);
  return [
    ...first(30).map(() => ({ generated: points(), training: points(), heldOut: points() })),
    { generated: pick(second, first(20)), training: pick(training, first(30)), heldOut: pick(second, first(9, 20)) },
    { generated: pick(second, first(30)), training: pick(training, first(20)), heldOut: pick(second, first(9, 30)) },
  ];
}

/** Generators, each of as many images as the world holds out, with labels to their images as far as they can be told. */
export const GENERATORS = {
  /** Copies of training images. */
  copier: ({ training, heldOut }: World) => pick(training, first(heldOut.count)),
  /** Copies with a little noise, as if that made them new. */
  "noisy copier": (world: World) => withNoise(GENERATORS.copier(world), 16),
  /** One good image again and again, under the labels that were asked for. */
  repeater: ({ heldOut, second }: World) => ({
    ...pick(second, first(heldOut.count).map(() => 0)),
    labels: heldOut.labels,
  }),
  /** Noise. */
  noise: ({ heldOut }: World) => withNoise({ ...heldOut, pixels: heldOut.pixels.map(() => 127) }, 128),
  /** Another sample of the same distribution. */
  "real sample": ({ second }: World) => second,
} as const;

/** The name of a generator. */
export type Generator = keyof typeof GENERATORS;

function withNoise(set: ImageSet, amplitude: number): ImageSet {
  const random = stream(2016);
  const pixels = set.pixels.map((grey) => {
    return Math.min(Math.max(Math.round(grey + amplitude * (2 * random.next() - 1)), 0), 255);
  });
  return { ...set, pixels };
}

/** The image sets of a measurement. */
export interface Subject {
  readonly generated: ImageSet;
  readonly training: ImageSet;
  readonly heldOut?: ImageSet;
  readonly labelled?: boolean;
  readonly regions?: MetricInput["regions"];
  /** By default 6, 2 and 2, as in the digits' profile. */
  readonly patch?: number;
  readonly overlap?: number;
  readonly window?: number;
}

/** Copies images into kernel memory. */
export function rowsOf(kernels: Kernels, { count, size, pixels }: ImageSet): Rows {
  return { count, ...squareOf(size), channels: 1, at: put(kernels, pixels) };
}

/** Has a metric judge. Asserts that it gives back its kernel memory, also where it fails. */
export function judge(plugin: AnyPlugin, subject: Subject, options = {}, kernels: Kernels = wasm): MetricResult {
  const { generated, training, heldOut, patch = 6, overlap = 2, window = 2 } = subject, height = kernels.mark();
  const rows = (set: ImageSet) => rowsOf(kernels, set);
  try {
    const input = {
      generated: rows(generated),
      training: rows(training),
      heldOut: heldOut && rows(heldOut),
      labels: subject.labelled
        ? { generated: generated.labels, training: training.labels, heldOut: heldOut?.labels }
        : undefined,
      regions: subject.regions,
      patch,
      overlap,
      window,
      kernels,
    };
    const mark = kernels.mark();
    try {
      return (plugin as Plugin<"metric">).create(optionValues(plugin, options)).measure(input);
    } finally {
      assertEquals(kernels.mark(), mark, `${plugin.name} keeps kernel memory`);
    }
  } finally {
    kernels.release(height);
  }
}

/** The score of a result: the mean of the values that are numbers. */
export function mean(values: ArrayLike<number>): number {
  const numbers = Array.from(values).filter((value) => !Number.isNaN(value));
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
