/**
 * The oracle of denoisers: each formula in plain loops over f64, to compare what computes them fast. Images are values in [-1, 1],
 * channel by channel, row by row. It takes `Math.exp`, in which engines differ.
 */
import { lengthOf, type Shape } from "../core/shape.ts";

/** What the oracle denoises: one noisy image, and the training images. */
export interface OracleInput extends Shape {
  /** x_t. */
  readonly noisy: ArrayLike<number>;
  /** The training images, each as long as `noisy`. */
  readonly training: readonly ArrayLike<number>[];
  /** a: x_t = sqrt(a) x_0 + sqrt(1 - a) eps. */
  readonly alphaBar: number;
}

/** The weights of all training images in one pixel, by their logarithms up to a constant. */
function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const terms = logits.map((logit) => Math.exp(logit - most));
  const sum = terms.reduce((all, term) => all + term, 0);
  return terms.map((term) => term / sum);
}

/** The pixels in the window of side `window` around a pixel, as far as they lie in the image. */
function pixelsAround({ height, width }: Shape, y: number, x: number, window: number): [y: number, x: number][] {
  const reach = (window - 1) / 2;
  const pixels: [number, number][] = [];
  for (let row = Math.max(y - reach, 0); row <= Math.min(y + reach, height - 1); row++) {
    for (let column = Math.max(x - reach, 0); column <= Math.min(x + reach, width - 1); column++) {
      pixels.push([row, column]);
    }
  }
  return pixels;
}

/** Sums, over the channels of the given pixels and with their weights, the squared differences of x_t and s x_n. */
function distance(
  input: OracleInput,
  example: ArrayLike<number>,
  pixels: readonly (readonly [y: number, x: number])[],
  weightOf: (y: number, x: number, channel: number) => number = () => 1,
): number {
  const { height, width, channels = 1, noisy } = input;
  const scale = Math.sqrt(input.alphaBar);
  let sum = 0;
  for (let channel = 0; channel < channels; channel++) {
    for (const [y, x] of pixels) {
      const at = (channel * height + y) * width + x;
      sum += weightOf(y, x, channel) * (noisy[at] - scale * example[at]) ** 2;
    }
  }
  return sum;
}

/**
 * The weights w_n(p) of the local score machine (Kamb and Ganguli, 2025): proportional to exp(-|x_t - s x_n|^2 / (2 b)) over the
 * window of pixel p. They are indexed by pixel, then by training image.
 */
export function localWeights(input: OracleInput, window: number): number[][] {
  const { height, width } = input;
  const b = 1 - input.alphaBar;
  return Array.from({ length: height * width }, (_, p) => {
    const pixels = pixelsAround(input, Math.floor(p / width), p % width, window);
    return softmax(input.training.map((example) => -distance(input, example, pixels) / (2 * b)));
  });
}

/** The mean of the weights over the windows that cover a pixel: those of the patch response (Niedoba et al., 2024). */
export function averagedWeights(shape: Shape, weights: readonly number[][], window: number): number[][] {
  return weights.map((_, p) => {
    const pixels = pixelsAround(shape, Math.floor(p / shape.width), p % shape.width, window);
    const sums = weights[p].map((_, n) => pixels.reduce((sum, [y, x]) => sum + weights[y * shape.width + x][n], 0));
    return sums.map((sum) => sum / pixels.length);
  });
}

/** x̂(p) = sum_n w_n(p) x_n(p), for each channel. */
export function weightedMean(input: OracleInput, weights: readonly number[][]): Float64Array {
  const area = input.height * input.width;
  return Float64Array.from({ length: lengthOf(input) }, (_, i) => {
    return weights[i % area].reduce((sum, weight, n) => sum + weight * input.training[n][i], 0);
  });
}

/** The mean and the covariance (divided by the number of images) of the training images. */
export function momentsOf(training: readonly ArrayLike<number>[]): { mean: number[]; covariance: number[][] } {
  const count = training.length;
  const values = Array.from({ length: training[0].length }, (_, i) => i);
  const mean = values.map((i) => training.reduce((sum, image) => sum + image[i], 0) / count);
  const covariance = values.map((i) => {
    return values.map((j) => {
      return training.reduce((sum, image) => sum + (image[i] - mean[i]) * (image[j] - mean[j]), 0) / count;
    });
  });
  return { mean, covariance };
}

/** Solves A X = B for several right sides, the columns of B, by Gauss's elimination with pivots. */
export function solveLinear(a: readonly number[][], b: readonly number[][]): number[][] {
  const rows = a.map((row, i) => [...row, ...b[i]]);
  const count = a.length;
  for (let column = 0; column < count; column++) {
    let pivot = column;
    for (let i = column + 1; i < count; i++) if (Math.abs(rows[i][column]) > Math.abs(rows[pivot][column])) pivot = i;
    [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
    for (let i = 0; i < count; i++) {
      if (i === column) continue;
      const factor = rows[i][column] / rows[column][column];
      for (let j = column; j < rows[i].length; j++) rows[i][j] -= factor * rows[column][j];
    }
  }
  return rows.map((row, i) => row.slice(count).map((value) => value / row[i]));
}

/** A = a Sigma (a Sigma + b I)^-1: the linear denoiser of Gaussian images. */
export function wienerMatrix(covariance: readonly number[][], alphaBar: number): number[][] {
  const scaled = covariance.map((row) => row.map((value) => alphaBar * value));
  const noisy = scaled.map((row, i) => row.map((value, j) => i === j ? value + 1 - alphaBar : value));
  // Both are symmetric and commute: A = (a Sigma + b I)^-1 a Sigma.
  return solveLinear(noisy, scaled);
}

/** x̂ = mean + A (x_t / s - mean), the Wiener filter: exact for Gaussian images. */
export function wiener(input: OracleInput): Float64Array {
  const { mean, covariance } = momentsOf(input.training);
  const scale = Math.sqrt(input.alphaBar);
  const matrix = wienerMatrix(covariance, input.alphaBar);
  return Float64Array.from(matrix, (row, i) => {
    return mean[i] + row.reduce((sum, value, j) => sum + value * (input.noisy[j] / scale - mean[j]), 0);
  });
}

/**
 * The weights of Lukoianov et al. (2025): as `localWeights`, over the values q in place of a window with |A_pq| >= tau max_q |A_pq|.
 * They are indexed by value, then by training image.
 */
export function pcaWeights(input: OracleInput, tau: number): number[][] {
  const matrix = wienerMatrix(momentsOf(input.training).covariance, input.alphaBar);
  const scale = Math.sqrt(input.alphaBar);
  return matrix.map((row, p) => {
    const most = Math.max(...row.map(Math.abs));
    return softmax(input.training.map((example) => {
      const counts = (value: number, q: number) => q === p || Math.abs(value) >= tau * most;
      const sum = row.reduce((all, value, q) => {
        return counts(value, q) ? all + (input.noisy[q] - scale * example[q]) ** 2 : all;
      }, 0);
      return -sum / (2 * (1 - input.alphaBar));
    }));
  });
}
