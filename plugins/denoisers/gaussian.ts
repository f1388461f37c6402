/** Training images as a Gaussian distribution: their mean and covariance, and its linear denoiser at any noise level. */
import type { DenoiserData } from "../../core/denoiser.ts";
import { borrowing } from "../../core/kernels.ts";
import { lengthOf } from "../../core/shape.ts";

/** A symmetric matrix Q T Q^T, where Q is orthogonal and T has a diagonal and two equal ones beside it. */
export interface Tridiagonal {
  /** Rows and columns. */
  readonly size: number;
  /** The diagonal of T. */
  readonly diagonal: Float64Array;
  /** T below its diagonal, from row 1 on; the last entry is 0. */
  readonly beside: Float64Array;
  /** Row k is the vector v of reflection number k, I - v v^T, from column k + 1 on. */
  readonly reflections: Float64Array;
}

/** The Gaussian distribution of images in [-1, 1]. */
export interface Gaussian {
  /** The mean image. */
  readonly mean: Float64Array;
  /** The covariance, divided by the number of images. */
  readonly covariance: Tridiagonal;
}

/** The most values of an image whose covariance is computed: 64x64 grey. The time grows with the third power. */
const MAX_VALUES = 4096;
/** Values whose products with all others are computed together. */
const TOGETHER = 64;

/**
 * Fits a Gaussian to training images. Sums are exact integers.
 *
 * @throws {Error} where an image has more than 4096 values
 */
export function fitGaussian({ training, kernels }: DenoiserData, name: string): Gaussian {
  const { count, at } = training;
  const size = lengthOf(training);
  if (size > MAX_VALUES) {
    throw new Error(`Cannot fit ${name}: expected images of at most ${MAX_VALUES} values, got ${size}`);
  }
  return borrowing(kernels, () => {
    const stride = Math.ceil(count / 16) * 16;
    const planes = kernels.allocate(size * stride);
    kernels.toPlanes(at, count, size, planes, stride);
    const black = kernels.allocate(stride);
    const out = kernels.allocate(TOGETHER * size * 8);
    // With all training images' values of a pixel as a vector, u v = (|u|^2 + |v|^2 - |u - v|^2) / 2.
    kernels.distances(black, 1, planes, size, stride, out);
    const squares = kernels.f64(out, size).slice();
    const sums = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      const plane = kernels.u8(planes + i * stride, count);
      for (let n = 0; n < count; n++) sums[i] += plane[n];
    }
    const covariance = new Float64Array(size * size);
    const perByte = 2 / 255;
    for (let first = 0; first < size; first += TOGETHER) {
      const rows = Math.min(TOGETHER, size - first);
      kernels.distances(planes + first * stride, rows, planes, size, stride, out);
      const squared = kernels.f64(out, rows * size);
      for (let i = first; i < first + rows; i++) {
        for (let j = 0; j < size; j++) {
          const product = (squares[i] + squares[j] - squared[(i - first) * size + j]) / 2;
          covariance[i * size + j] = (count * product - sums[i] * sums[j]) / (count * count) * perByte * perByte;
        }
      }
    }
    const mean = sums.map((sum) => sum / count * perByte - 1);
    return { mean, covariance: tridiagonal(covariance, size) };
  });
}

/**
 * Takes a symmetric matrix apart by Householder's reflections (Golub and Van Loan, "Matrix Computations", section 8.3.1), of which
 * the lower triangle is read and overwritten.
 */
export function tridiagonal(a: Float64Array, size: number): Tridiagonal {
  const diagonal = new Float64Array(size);
  const beside = new Float64Array(size);
  const product = new Float64Array(size);
  const reflections = new Float64Array(size * size);
  for (let k = 0; k < size - 1; k++) {
    const v = reflections.subarray(k * size, (k + 1) * size);
    let norm = 0;
    for (let i = k + 1; i < size; i++) {
      v[i] = a[i * size + k];
      norm += v[i] * v[i];
    }
    norm = Math.sqrt(norm);
    diagonal[k] = a[k * size + k];
    beside[k] = v[k + 1] > 0 ? -norm : norm;
    if (norm === 0) continue;
    // v = x - beside e_1, scaled so that |v|^2 = 2.
    v[k + 1] -= beside[k];
    const scale = 1 / Math.sqrt(norm * (norm + Math.abs(a[(k + 1) * size + k])));
    for (let i = k + 1; i < size; i++) v[i] *= scale;
    reflectBoth(a, size, k + 1, v, product);
  }
  if (size > 0) diagonal[size - 1] = a[size * size - 1];
  return { size, diagonal, beside, reflections };
}

/** A <- (I - v v^T) A (I - v v^T) in the lower triangle from row `first` on: A - v w^T - w v^T with w = A v - (v A v) v / 2. */
function reflectBoth(a: Float64Array, size: number, first: number, v: Float64Array, w: Float64Array): void {
  w.fill(0, first);
  for (let i = first; i < size; i++) {
    const row = i * size;
    const vi = v[i];
    let sum = 0;
    for (let j = first; j < i; j++) {
      sum += a[row + j] * v[j];
      w[j] += a[row + j] * vi;
    }
    w[i] += sum + a[row + i] * vi;
  }
  let dot = 0;
  for (let i = first; i < size; i++) dot += w[i] * v[i];
  for (let i = first; i < size; i++) w[i] -= dot / 2 * v[i];
  for (let i = first; i < size; i++) {
    const row = i * size;
    const vi = v[i];
    const wi = w[i];
    for (let j = first; j <= i; j++) a[row + j] -= vi * w[j] + wi * v[j];
  }
}

/** Replaces x by Q^T x. */
export function toBasis({ size, reflections }: Tridiagonal, x: Float64Array): void {
  for (let k = 0; k < size - 1; k++) reflect(reflections, k, size, x);
}

/** Replaces x by Q x. */
export function fromBasis({ size, reflections }: Tridiagonal, x: Float64Array): void {
  for (let k = size - 2; k >= 0; k--) reflect(reflections, k, size, x);
}

function reflect(reflections: Float64Array, k: number, size: number, x: Float64Array): void {
  const row = k * size;
  let dot = 0;
  for (let i = k + 1; i < size; i++) dot += reflections[row + i] * x[i];
  for (let i = k + 1; i < size; i++) x[i] -= dot * reflections[row + i];
}

/** Replaces x by (a T + b I)^-1 x, b > 0, by elimination: the matrix is positive definite, so that no pivots are needed. */
export function solveTridiagonal({ size, diagonal, beside }: Tridiagonal, a: number, b: number, x: Float64Array): void {
  const pivots = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    pivots[i] = a * diagonal[i] + b;
    if (i === 0) continue;
    const factor = a * beside[i - 1] / pivots[i - 1];
    pivots[i] -= factor * a * beside[i - 1];
    x[i] -= factor * x[i - 1];
  }
  for (let i = size - 1; i >= 0; i--) {
    if (i < size - 1) x[i] -= a * beside[i] * x[i + 1];
    x[i] /= pivots[i];
  }
}

/**
 * Replaces v by A v with A = a Sigma (a Sigma + b I)^-1 = I - b (a Sigma + b I)^-1 and b = 1 - a: what is left of the deviation
 * from the mean at that noise.
 */
export function shrink({ covariance }: Gaussian, alphaBar: number, v: Float64Array): void {
  const solved = v.slice();
  const b = 1 - alphaBar;
  toBasis(covariance, solved);
  solveTridiagonal(covariance, alphaBar, b, solved);
  fromBasis(covariance, solved);
  for (let i = 0; i < v.length; i++) v[i] -= b * solved[i];
}
