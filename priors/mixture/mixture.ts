/**
 * Mixtures of Gaussians and their densities. Every log and exp is the kernels', so that a density is the same to the bit on every
 * engine; the Cholesky factors are ml-matrix's.
 */
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { borrowing, type Kernels } from "../../core/kernels.ts";

const LOG_2PI = 1.8378770664093453;

/** A mixture of Gaussians: sum over k of weights[k] N(means[k], covariances[k]). */
export interface Mixture {
  readonly dimensions: number;
  /** pi: one for each component, > 0, of sum 1. */
  readonly weights: Float64Array;
  /** mu: components x dimensions. */
  readonly means: Float64Array;
  /** Sigma: components x dimensions x dimensions. */
  readonly covariances: Float64Array;
}

/** All that the density of a Gaussian needs: W, with W Sigma W^T = I, and its logarithm at the mean. */
export interface Whitener {
  /** The lower triangle of W, row after row: 1, 2, .. d values. */
  readonly lower: Float64Array;
  readonly logPeak: number;
}

/** How many values the first `rows` rows of a lower triangle have. */
export function triangle(rows: number): number {
  return rows * (rows + 1) / 2;
}

/**
 * The whitener of a covariance: the inverse of its Cholesky factor.
 *
 * @throws Error where the covariance (d x d) is not positive definite.
 */
export function whitener(kernels: Kernels, covariance: Float64Array, d: number): Whitener {
  const rows = Array.from({ length: d }, (_, p) => covariance.subarray(p * d, (p + 1) * d));
  const factor = new CholeskyDecomposition(new Matrix(rows as unknown as number[][]));
  if (!factor.isPositiveDefinite()) {
    throw new Error(
      "Cannot invert a covariance matrix: expected a positive definite matrix, got one with an eigenvalue <= 0",
    );
  }
  const cholesky = factor.lowerTriangularMatrix.to2DArray();
  const lower = new Float64Array(triangle(d));
  for (let q = 0; q < d; q++) {
    lower[triangle(q) + q] = 1 / cholesky[q][q];
    for (let p = q + 1; p < d; p++) {
      let sum = 0;
      for (let r = q; r < p; r++) sum += cholesky[p][r] * lower[triangle(r) + q];
      lower[triangle(p) + q] = -sum / cholesky[p][p];
    }
  }
  return borrowing(kernels, () => {
    const at = kernels.allocate(d * 8);
    kernels.f64(at, d).set(cholesky.map((row, p) => row[p]));
    kernels.logInPlace(at, d);
    return { lower, logPeak: kernels.f64(at, d).reduce((sum, log) => sum - log, -d / 2 * LOG_2PI) };
  });
}

/**
 * |W x|^2: the squared Mahalanobis distance of `x`, from which the mean was taken. Four sums, so that additions need not wait for
 * one another.
 *
 * @param lower The lower triangle of W, as in `Whitener`; its first d rows are used.
 */
export function squaredNorm(lower: Float64Array | Float32Array, x: Float64Array, d: number): number {
  let norm = 0;
  for (let p = 0, row = 0; p < d; row += ++p) {
    let a = 0;
    let b = 0;
    let c = 0;
    let e = 0;
    let q = 0;
    for (; q + 3 <= p; q += 4) {
      a += lower[row + q] * x[q];
      b += lower[row + q + 1] * x[q + 1];
      c += lower[row + q + 2] * x[q + 2];
      e += lower[row + q + 3] * x[q + 3];
    }
    for (; q <= p; q++) a += lower[row + q] * x[q];
    const sum = (a + b) + (c + e);
    norm += sum * sum;
  }
  return norm;
}

/** Writes `squaredNorm` of two vectors, each as if it were computed alone: every value of W is read once for both. */
function twoNorms(lower: Float64Array, x: Float64Array, y: Float64Array, d: number, out: Float64Array): void {
  let normX = 0;
  let normY = 0;
  for (let p = 0, row = 0; p < d; row += ++p) {
    let xa = 0;
    let xb = 0;
    let xc = 0;
    let xe = 0;
    let ya = 0;
    let yb = 0;
    let yc = 0;
    let ye = 0;
    let q = 0;
    for (; q + 3 <= p; q += 4) {
      const a = lower[row + q];
      const b = lower[row + q + 1];
      const c = lower[row + q + 2];
      const e = lower[row + q + 3];
      xa += a * x[q];
      ya += a * y[q];
      xb += b * x[q + 1];
      yb += b * y[q + 1];
      xc += c * x[q + 2];
      yc += c * y[q + 2];
      xe += e * x[q + 3];
      ye += e * y[q + 3];
    }
    for (; q <= p; q++) {
      xa += lower[row + q] * x[q];
      ya += lower[row + q] * y[q];
    }
    const sumX = (xa + xb) + (xc + xe);
    const sumY = (ya + yb) + (yc + ye);
    normX += sumX * sumX;
    normY += sumY * sumY;
  }
  out[0] = normX;
  out[1] = normY;
}

/**
 * Writes log(pi_k N(x; mu_k, Sigma_k)) - floor/2 tr Sigma_k^-1 of every point and component.
 *
 * @param values Points x dimensions.
 * @param floor 0 for the density itself; see `fitMixture`.
 * @param at Where points x components f64 are written.
 * @returns A view of them.
 */
export function jointLogs(
  kernels: Kernels,
  mixture: Mixture,
  values: Float64Array,
  floor: number,
  at: number,
): Float64Array {
  const { dimensions: d, weights, means, covariances } = mixture;
  const components = weights.length;
  const count = values.length / d;
  const logWeights = logsOf(kernels, weights);
  const centred = new Float64Array(d);
  const whiteners = Array.from(
    weights,
    (_, k) => whitener(kernels, covariances.subarray(k * d * d, (k + 1) * d * d), d),
  );
  const out = kernels.f64(at, count * components); // only now: allocations may detach a view
  const peaks = whiteners.map(({ lower, logPeak }, k) => {
    const traced = floor > 0 ? floor / 2 * lower.reduce((sum, value) => sum + value * value, 0) : 0;
    return logWeights[k] + logPeak - traced;
  });
  const other = new Float64Array(d);
  const norms = new Float64Array(2);
  whiteners.forEach(({ lower }, k) => {
    const mean = means.subarray(k * d, (k + 1) * d);
    for (let i = 0; i < count; i += 2) {
      // The last point may have no second one beside it.
      const next = Math.min(i + 1, count - 1);
      for (let p = 0; p < d; p++) {
        centred[p] = values[i * d + p] - mean[p];
        other[p] = values[next * d + p] - mean[p];
      }
      twoNorms(lower, centred, other, d, norms);
      out[i * components + k] = peaks[k] - norms[0] / 2;
      out[next * components + k] = peaks[k] - norms[1] / 2;
    }
  });
  return out;
}

/** The natural logarithms of some values. */
export function logsOf(kernels: Kernels, values: Float64Array): Float64Array {
  return borrowing(kernels, () => {
    const at = kernels.allocate(values.length * 8);
    kernels.f64(at, values.length).set(values);
    kernels.logInPlace(at, values.length);
    return kernels.f64(at, values.length).slice();
  });
}

/**
 * Replaces each of `count` rows of `components` logarithms by its softmax: numbers of sum 1 in proportion to their exp.
 *
 * @param logs The address of `count` x `components` f64.
 * @param sums Where the logarithm of each row's sum of exp is written: `count` f64.
 * @returns A view of `sums`.
 */
export function normalize(
  kernels: Kernels,
  logs: number,
  sums: number,
  components: number,
  count: number,
): Float64Array {
  const rows = kernels.f64(logs, count * components);
  const totals = kernels.f64(sums, count);
  const largest = new Float64Array(count).fill(-Infinity);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < components; k++) largest[i] = Math.max(largest[i], rows[i * components + k]);
    for (let k = 0; k < components; k++) rows[i * components + k] -= largest[i];
  }
  kernels.expInPlace(logs, count * components);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = 0; k < components; k++) sum += rows[i * components + k];
    for (let k = 0; k < components; k++) rows[i * components + k] /= sum;
    totals[i] = sum;
  }
  kernels.logInPlace(sums, count);
  for (let i = 0; i < count; i++) totals[i] += largest[i];
  return totals;
}

/**
 * Adds w_i (x_i - mu)(x_i - mu)^T of the chosen points to the lower triangle of a matrix, four points at a time: a value is read
 * and written once for all four. Sums are added up in the order of the points.
 */
export function addProducts(
  values: Float64Array,
  mean: Float64Array,
  sums: Float64Array,
  chosen: readonly number[],
  weight: (i: number) => number,
): void {
  const d = mean.length;
  const none = new Float64Array(d);
  const [a, b, c, e] = Array.from({ length: 4 }, () => new Float64Array(d));
  for (let first = 0; first < chosen.length; first += 4) {
    // Points that are missing at the end are zeros, which change no sum.
    const [wa, wb, wc, we] = [a, b, c, e].map((centred, n) => {
      if (first + n >= chosen.length) {
        centred.set(none);
        return 0;
      }
      const i = chosen[first + n];
      for (let p = 0; p < d; p++) centred[p] = values[i * d + p] - mean[p];
      return weight(i);
    });
    for (let p = 0; p < d; p++) {
      const sa = wa * a[p];
      const sb = wb * b[p];
      const sc = wc * c[p];
      const se = we * e[p];
      const row = p * d;
      if (sa === 0 && sb === 0 && sc === 0 && se === 0) continue;
      for (let q = 0; q <= p; q++) {
        sums[row + q] = sums[row + q] + sa * a[q] + sb * b[q] + sc * c[q] + se * e[q];
      }
    }
  }
}
