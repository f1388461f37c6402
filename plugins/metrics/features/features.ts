/** Features of images without a trained network, and their distances, for measures that compare sets of features. */
import type { Kernels } from "../../../core/kernels.ts";
import { eachRow } from "../../../core/image_distances.ts";
import { gather } from "../../../core/nearest.ts";
import { mean, range } from "../../../core/numbers.ts";
import { lengthOf } from "../../../core/shape.ts";
import type { Rows } from "../../../core/types.ts";
import { gradientHistograms, histogramsLength } from "../judge/gradient_histograms.ts";

/** What is compared: the judge's histograms of gradients, or pixels, whose distances are those of all their principal components. */
export type Features = "gradients" | "pixels";

/** The options that measures of features share. */
export const FEATURE_OPTIONS = {
  features: {
    default: "gradients",
    choices: ["gradients", "pixels"],
    about: "what is compared: the judge's histograms of gradients, or pixels in all their principal components",
  },
  most: {
    default: 300,
    min: 10,
    max: 2000,
    integer: true,
    about: "the most images of each set that are compared, evenly taken; the score depends on it",
  },
} as const;

/** With fewer images a measure of sets means nothing. */
export const FEWEST = 10;

/** Computes the features of at most `most` images, evenly taken: bytes in new kernel memory, one row an image. */
export function featuresOf(kernels: Kernels, images: Rows, features: Features, most: number): Rows {
  const taken = Math.min(images.count, most);
  const rows = gather(kernels, images, range(taken).map((i) => Math.floor(i * images.count / taken)));
  if (features === "pixels") return { ...rows, height: 1, width: lengthOf(rows), channels: 1 };
  const width = histogramsLength(rows);
  const at = kernels.allocate(taken * width);
  kernels.u8(at, taken * width).set(gradientHistograms(rows, kernels.u8(rows.at, taken * lengthOf(rows))));
  return { at, count: taken, height: 1, width, channels: 1 };
}

/** The squared distances of all features of one set to all of another: row by row, features in [0, 1]. */
export function squaredDistances(kernels: Kernels, from: Rows, to: Rows): Float64Array[] {
  const rows: Float64Array[] = [];
  eachRow(kernels, from, to, (_, squared) => rows.push(squared.map((value) => value / 255 ** 2)));
  return rows;
}

/** The squared lengths of features in [0, 1]. */
export function squaredLengths(kernels: Kernels, rows: Rows): Float64Array {
  const values = kernels.u8(rows.at, rows.count * rows.width);
  return Float64Array.from({ length: rows.count }, (_, i) => {
    let sum = 0;
    for (let p = i * rows.width; p < (i + 1) * rows.width; p++) sum += values[p] ** 2;
    return sum / 255 ** 2;
  });
}

/** Parts of the images that are left out in turn. */
const BLOCKS = 5;

/** The standard error of a statistic of a set, by the jackknife with blocks of images that are left out (Künsch, 1989). */
export function jackknifeError(count: number, statistic: (kept: readonly number[]) => number): number | undefined {
  const all = [...range(count)];
  const values = Array.from({ length: BLOCKS }, (_, block) => statistic(all.filter((i) => i % BLOCKS !== block)));
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const error = Math.sqrt((BLOCKS - 1) / BLOCKS * squares);
  return Number.isFinite(error) ? error : undefined;
}

/** Chosen rows and columns of a matrix. */
export function part(rows: readonly Float64Array[], chosen: readonly number[], columns?: readonly number[]) {
  return chosen.map((i) => columns ? Float64Array.from(columns, (j) => rows[i][j]) : rows[i]);
}
