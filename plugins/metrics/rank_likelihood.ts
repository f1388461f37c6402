import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { patchesOf } from "./metric_input.ts";
import { CUT, precisionFor } from "./perplexity.ts";

/** The points of the appendix's curves, and the numbers of images that they are computed from. */
export interface RankLikelihoodAt {
  /** Widths of the Parzen window, above 0; grey levels are in [0, 1]. */
  readonly sigmas: readonly number[];
  /** epsilon: an eigenvalue above it counts in the rank; above 0, in squared grey levels. */
  readonly tolerances: readonly number[];
  /** Neighbours that count around a patch, 10 by default (as for the spread; the paper does not state it). */
  readonly perplexity?: number;
  /** The first so many training images are the dictionary, 300 by default: each of its patches takes an eigendecomposition. */
  readonly dictionary?: number;
  /** The first so many generated images are averaged, 100 by default. */
  readonly images?: number;
}

/** The curves, and what they depend on. */
export interface RankLikelihood extends Pick<MetricResult, "settings" | "warnings"> {
  /** The mean log-likelihood of an image in nats, by tolerance and then by sigma. */
  readonly means: number[][];
}

/**
 * The likelihood of appendix "Choice of sigma in Log-likelihood": equations (ll pixel) and (ll image) with equation (patch pb
 * with rank),
 *
 *     P_i(x) = (1 / |D|) sum over y_j in D of (2 pi sigma^2)^(-d_j / 2) exp(-|x - y_j|^2 / (2 sigma^2)),
 *
 * where d_j is the number of eigenvalues above the tolerance of the covariance around y_j: sum over z of
 * p(z | y_j) (z - y_j)^T (z - y_j), with the weights of t-SNE. D are the training patches at location i itself, without its
 * window. At sigma = 1/sqrt(2 pi) the ranks do not matter and it is the `likelihood` over the same dictionary. As there, squared
 * distances of colour images are means over their channels, and so are the covariances.
 *
 * @param progress gets the part that is done, in (0, 1]
 * @throws one sentence for no generated image, fewer than two training images, or a setting out of its range
 */
export function rankLikelihood(
  input: MetricInput,
  at: RankLikelihoodAt,
  progress: (done: number) => void = () => {},
): RankLikelihood {
  const { generated, training, patch, overlap, kernels } = input;
  const { sigmas, tolerances, perplexity: wanted = 10, dictionary: inDictionary = 300, images: averaged = 100 } = at;
  check(input, { sigmas, tolerances, perplexity: wanted, dictionary: inDictionary, images: averaged });
  const dictionary = Math.min(inDictionary, training.count);
  const images = Math.min(averaged, generated.count);
  const { perplexity, warnings } = perplexityAmong(dictionary - 1, wanted);
  const patches = patchesOf(training, patch, overlap);
  const locations = patches.rows.length * patches.columns.length;
  const means = borrowing(kernels, () => {
    return meansOf(input, patches, { sigmas, tolerances, perplexity, dictionary, images }, progress);
  });
  return { means, settings: { perplexity, dictionary, images, window: "+-0", locations }, warnings };
}

/** The means over all locations, in kernel memory that the caller gives back. */
function meansOf(
  { generated, training, patch, kernels }: MetricInput,
  { rows, columns, numbersAt }: ReturnType<typeof patchesOf>,
  { sigmas, tolerances, perplexity, dictionary, images }: Required<RankLikelihoodAt>,
  progress: (done: number) => void,
): number[][] {
  const { channels } = training;
  const locations = rows.length * columns.length;
  const inPatch = channels * patch * patch;
  const ys = kernels.allocate(dictionary * inPatch);
  const xs = kernels.allocate(images * inPatch);
  const toY = kernels.allocate(dictionary * 8);
  const toX = kernels.allocate(images * dictionary * 8);
  const numbers = new Uint32Array(inPatch);
  const means = tolerances.map(() => sigmas.map(() => 0));
  // From a sum over locations and images to the mean of (ll image).
  const share = areaOf(training) / (locations * patch * patch * images);
  let done = 0;
  for (const y of rows) {
    for (const x of columns) {
      numbersAt(y, x, numbers);
      cut(kernels, training, dictionary, numbers, ys);
      cut(kernels, generated, images, numbers, xs);
      kernels.distances(xs, images, ys, dictionary, inPatch, toX);
      const patches = kernels.u8(ys, dictionary * inPatch);
      const squared = kernels.f64(toX, images * dictionary);
      const eigenvalues = Array.from({ length: dictionary }, (_, j) => {
        kernels.distances(ys + j * inPatch, 1, ys, dictionary, inPatch, toY);
        return eigenvaluesAround(j, patches, kernels.f64(toY, dictionary), { channels, perplexity });
      });
      tolerances.forEach((tolerance, t) => {
        const ranks = eigenvalues.map((values) => values.filter((value) => value > tolerance).length);
        sigmas.forEach((sigma, s) => means[t][s] += share * sumOfLogs(squared, ranks, sigma, channels));
      });
      progress(++done / locations);
    }
  }
  return means;
}

function check({ generated, training }: MetricInput, at: Required<RankLikelihoodAt>): void {
  const expect = (holds: boolean, wanted: string, found: number | string) => {
    if (!holds) throw new Error(`Cannot compute the likelihood with ranks: expected ${wanted}, got ${found}`);
  };
  for (const [name, values] of [["sigma", at.sigmas], ["tolerance", at.tolerances]] as const) {
    expect(values.length > 0, `at least one ${name}`, "none");
    for (const value of values) expect(value > 0 && value < Infinity, `every ${name} above 0`, value);
  }
  expect(at.perplexity >= 1 && at.perplexity < Infinity, "a perplexity of at least 1", at.perplexity);
  expect(Number.isInteger(at.dictionary) && at.dictionary >= 2, "a dictionary of at least 2 images", at.dictionary);
  expect(Number.isInteger(at.images) && at.images >= 1, "at least 1 image to average", at.images);
  expect(training.count >= 2, "at least 2 training images (a rank is that of a patch's neighbours)", training.count);
  expect(generated.count >= 1, "at least 1 generated image", generated.count);
}

/** t-SNE's rule: neighbours three times the perplexity. */
function perplexityAmong(neighbours: number, wanted: number): { perplexity: number; warnings: string[] } {
  if (neighbours >= 3 * wanted) return { perplexity: wanted, warnings: [] };
  const perplexity = Math.max(neighbours / 3, 1);
  const warning = `${neighbours} neighbours are too few for perplexity ${wanted}: ${perplexity.toFixed(1)} is used`;
  return { perplexity, warnings: [warning] };
}

/** Copies the values of these numbers of the first `count` images, image by image. */
function cut(kernels: Kernels, from: Rows, count: number, numbers: Uint32Array, to: number): void {
  const length = lengthOf(from);
  const images = kernels.u8(from.at, count * length);
  const inPatch = numbers.length;
  const out = kernels.u8(to, count * inPatch);
  for (let i = 0; i < count; i++) {
    for (let p = 0; p < inPatch; p++) out[i * inPatch + p] = images[i * length + numbers[p]];
  }
}

/** Eigenvalues of the covariance around patch j; `squared` are its squared distances to all patches. Both in bytes' levels. */
function eigenvaluesAround(
  j: number,
  patches: Uint8Array,
  squared: Float64Array,
  { channels, perplexity }: { channels: number; perplexity: number },
): number[] {
  const count = squared.length;
  const inPatch = patches.length / count;
  const unit = 1 / (255 * 255 * channels);
  const distances = squared.map((distance) => distance * unit);
  // Without the first, the patch's own 0.
  const sorted = distances.toSorted().subarray(1);
  const beta = precisionFor(sorted, perplexity);
  // Smaller weights would not change a sum, and numbers close to underflow make the decomposition fail.
  const weights = distances.map((distance, k) => {
    const exponent = beta * (distance - sorted[0]);
    return k === j || exponent > CUT ? 0 : Math.exp(-exponent);
  });
  const sum = weights.reduce((a, b) => a + b);
  const covariance = new Float64Array(inPatch * inPatch);
  const difference = new Float64Array(inPatch);
  weights.forEach((weight, k) => {
    if (weight === 0) return;
    for (let p = 0; p < inPatch; p++) difference[p] = patches[k * inPatch + p] - patches[j * inPatch + p];
    for (let p = 0; p < inPatch; p++) {
      if (difference[p] === 0) continue; // Most pixels of most pairs are equal.
      const scaled = weight / sum * unit * difference[p];
      for (let q = 0; q < inPatch; q++) covariance[p * inPatch + q] += scaled * difference[q];
    }
  });
  const matrix = Matrix.from1DArray(inPatch, inPatch, covariance);
  return new EigenvalueDecomposition(matrix, { assumeSymmetric: true }).realEigenvalues;
}

/** The sum of log P_i over the images; `squared` by image and then by dictionary patch, in grey levels of bytes. */
function sumOfLogs(squared: Float64Array, ranks: readonly number[], sigma: number, channels: number): number {
  const perDistance = 1 / (2 * sigma * sigma * 255 * 255 * channels);
  const perRank = Math.log(2 * Math.PI * sigma * sigma) / 2;
  const count = ranks.length;
  const exponents = new Float64Array(count);
  let logs = 0;
  for (let first = 0; first < squared.length; first += count) {
    let most = -Infinity;
    let sum = 0;
    for (let j = 0; j < count; j++) {
      exponents[j] = -perDistance * squared[first + j] - perRank * ranks[j];
      most = Math.max(most, exponents[j]);
    }
    for (let j = 0; j < count; j++) sum += Math.exp(exponents[j] - most);
    logs += most + Math.log(sum / count);
  }
  return logs;
}
