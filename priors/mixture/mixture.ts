/**
 * Gaussian mixtures by expectation maximization (Dempster, Laird and Rubin 1977), the density behind EPLL's patch prior. The
 * algebra is ml-matrix's, every exp and log the kernels', the start a stream's: a fit is the same bits on every engine.
 */
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import type { Stream } from "../../core/random.ts";

/** Points to fit to: point i is `values[i * dimensions + ...]`, and counts `weights[i]` > 0 times. */
export interface Points {
  readonly dimensions: number;
  readonly values: Float64Array;
  readonly weights: Float64Array;
}

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

/** A mixture and how its fit went. */
export interface FittedMixture extends Mixture {
  /** What EM maximizes, before each of its iterations and after the last one: the mean over the points, in nats. */
  readonly objective: readonly number[];
  /** Whether the last iteration gained less than the tolerance; otherwise EM ran out of iterations. */
  readonly converged: boolean;
}

/** How a mixture is fitted. */
export interface MixtureOptions {
  /** The most components: there are never more than points, and those that no point is left for are dropped. */
  readonly components: number;
  /** Variance added in every direction, > 0: see `fitMixture`. */
  readonly floor: number;
  /** How many starts; the best of them is kept. */
  readonly restarts: number;
  /** The most iterations of a start. */
  readonly iterations: number;
  /** An iteration that gains less than this, in nats a point, is the last. */
  readonly tolerance: number;
  /** Chooses the starts. */
  readonly random: Stream;
}

/** Rounds of k-means before the first M-step: they cost a tenth of an iteration of EM and save some. */
const LLOYD_ROUNDS = 5;
/** A component that holds less than this part of the points is dropped: its covariance would be rounding errors. */
const LEAST_WEIGHT = 1e-9;
/** A point that belongs to a component with less than this probability is left out of its mean and covariance. */
const LEAST_SHARE = 1e-12;
const LOG_2PI = 1.8378770664093453;

/**
 * Fits a mixture to points, of which there is at least one.
 *
 * A covariance without a floor grows singular where points are few or a pixel never changes. Here each point stands for a
 * small round cloud of variance `floor`: the M-step's covariance becomes S_k + floor I, and what EM maximizes, and never
 * decreases, is the mean over the points of log sum_k pi_k N(x; mu_k, Sigma_k) exp(-floor/2 tr Sigma_k^-1), a lower bound of the
 * clouds' log-likelihood.
 */
export function fitMixture(kernels: Kernels, points: Points, options: MixtureOptions): FittedMixture {
  return borrowing(kernels, () => {
    let best: FittedMixture | undefined;
    for (let start = 0; start < options.restarts; start++) {
      const fitted = expectationMaximization(kernels, points, options);
      if (!best || fitted.objective.at(-1)! > best.objective.at(-1)!) best = fitted;
    }
    return best!;
  });
}

function expectationMaximization(kernels: Kernels, points: Points, options: MixtureOptions): FittedMixture {
  const { floor, iterations, tolerance } = options, count = points.weights.length;
  const total = points.weights.reduce((sum, weight) => sum + weight, 0);
  const shares = start(points, options);
  let mixture = maximize(points, shares, floor, total);
  const at = kernels.allocate(shares.length * 8), sums = kernels.allocate(count * 8), objective: number[] = [];
  for (let iteration = 0;; iteration++) {
    const logs = jointLogs(kernels, mixture, points.values, floor, at);
    const likelihoods = normalize(kernels, at, sums, logs.length / count, count);
    let mean = 0;
    for (let i = 0; i < count; i++) mean += points.weights[i] / total * likelihoods[i];
    objective.push(mean);
    const converged = iteration > 0 && mean - objective[iteration - 1] < tolerance;
    if (converged || iteration === iterations) return { ...mixture, objective, converged };
    mixture = maximize(points, kernels.f64(at, logs.length), floor, total);
  }
}

/** The first responsibilities: k-means++ (Arthur and Vassilvitskii 2007), a few rounds of k-means, each point its centre's. */
function start({ dimensions: d, values, weights }: Points, { components, random }: MixtureOptions): Float64Array {
  const count = weights.length, centres: number[][] = [];
  const distances = new Float64Array(count).fill(Infinity), nearest = new Int32Array(count);
  const compare = (centre: readonly number[], k: number) => {
    for (let i = 0; i < count; i++) {
      let sum = 0;
      for (let p = 0; p < d; p++) sum += (values[i * d + p] - centre[p]) ** 2;
      if (sum < distances[i]) {
        distances[i] = sum;
        nearest[i] = k;
      }
    }
  };
  while (centres.length < Math.min(components, count)) {
    const odds = weights.map((weight, i) => centres.length === 0 ? weight : weight * distances[i]);
    const sum = odds.reduce((sum, value) => sum + value, 0);
    if (!(sum > 0)) break; // every point is a centre already
    let aim = random.next() * sum, chosen = 0;
    for (let i = 0; i < count && aim >= 0; i++) {
      if (odds[i] > 0) chosen = i;
      aim -= odds[i];
    }
    centres.push([...values.subarray(chosen * d, (chosen + 1) * d)]);
    compare(centres.at(-1)!, centres.length - 1);
  }
  for (let round = 0; round < LLOYD_ROUNDS; round++) {
    const held = new Float64Array(centres.length);
    for (let i = 0; i < count; i++) held[nearest[i]] += weights[i];
    centres.forEach((centre, k) => held[k] > 0 && centre.fill(0));
    for (let i = 0; i < count; i++) {
      const k = nearest[i], part = weights[i] / held[k], centre = centres[k];
      for (let p = 0; p < d; p++) centre[p] += part * values[i * d + p];
    }
    distances.fill(Infinity);
    centres.forEach(compare);
  }
  const shares = new Float64Array(count * centres.length);
  for (let i = 0; i < count; i++) shares[i * centres.length + nearest[i]] = 1;
  return shares;
}

/** The M-step: weights, means and covariances of points that belong to the components by `shares` (points x components). */
function maximize(
  { dimensions: d, values, weights }: Points,
  shares: Float64Array,
  floor: number,
  total: number,
): Mixture {
  const count = weights.length, components = shares.length / count, found: number[] = [];
  const sums = new Float64Array(components), means = new Float64Array(components * d);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < components; k++) sums[k] += weights[i] * shares[i * components + k];
  }
  for (let k = 0; k < components; k++) if (sums[k] > LEAST_WEIGHT * total) found.push(k);
  const covariances = new Float64Array(found.length * d * d), centred = new Float64Array(d);
  found.forEach((k, to) => {
    const mean = means.subarray(to * d, (to + 1) * d), covariance = covariances.subarray(to * d * d, (to + 1) * d * d);
    for (let i = 0; i < count; i++) {
      const part = weights[i] * shares[i * components + k] / sums[k];
      if (part > 0) { for (let p = 0; p < d; p++) mean[p] += part * values[i * d + p]; }
    }
    for (let i = 0; i < count; i++) {
      const part = weights[i] * shares[i * components + k] / sums[k];
      if (!(shares[i * components + k] > LEAST_SHARE)) continue;
      for (let p = 0; p < d; p++) centred[p] = values[i * d + p] - mean[p];
      for (let p = 0; p < d; p++) {
        const scaled = part * centred[p], row = p * d;
        if (scaled !== 0) { for (let q = 0; q <= p; q++) covariance[row + q] += scaled * centred[q]; }
      }
    }
    for (let p = 0; p < d; p++) {
      for (let q = 0; q < p; q++) covariance[q * d + p] = covariance[p * d + q];
      covariance[p * d + p] += floor;
    }
  });
  const kept = found.reduce((sum, k) => sum + sums[k], 0);
  return {
    dimensions: d,
    weights: Float64Array.from(found, (k) => sums[k] / kept),
    means: means.slice(0, found.length * d),
    covariances,
  };
}

/** What evaluates a Gaussian: W with W Sigma W^T = I and log N at the mean. */
export interface Whitener {
  /** The lower triangle of W, row after row: 1, 2, .. d values. */
  readonly lower: Float64Array;
  readonly logPeak: number;
}

/** How many values the first `rows` rows of a lower triangle have. */
export function triangle(rows: number): number {
  return rows * (rows + 1) / 2;
}

/** The whitener of a covariance (d x d, positive definite): the inverse of its Cholesky factor. */
export function whitener(kernels: Kernels, covariance: Float64Array, d: number): Whitener {
  const rows = Array.from({ length: d }, (_, p) => covariance.subarray(p * d, (p + 1) * d));
  const factor = new CholeskyDecomposition(new Matrix(rows as unknown as number[][]));
  if (!factor.isPositiveDefinite()) throw new Error("Cannot use a covariance that is not positive definite");
  const cholesky = factor.lowerTriangularMatrix.to2DArray(), lower = new Float64Array(triangle(d));
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

/** |W x|^2, the squared Mahalanobis distance of `x` (from the mean). Four sums, so that additions need not wait for one another. */
export function squaredNorm(lower: Float64Array | Float32Array, x: Float64Array, d: number): number {
  let norm = 0;
  for (let p = 0, row = 0; p < d; row += ++p) {
    let a = 0, b = 0, c = 0, e = 0, q = 0;
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

/** Writes log(pi_k N(x; mu_k, Sigma_k)), less floor/2 tr Sigma_k^-1, of points x components to `at`; returns a view of them. */
function jointLogs(kernels: Kernels, mixture: Mixture, values: Float64Array, floor: number, at: number): Float64Array {
  const { dimensions: d, weights, means, covariances } = mixture, components = weights.length;
  const count = values.length / d, logWeights = logsOf(kernels, weights), centred = new Float64Array(d);
  const whiteners = Array.from(
    weights,
    (_, k) => whitener(kernels, covariances.subarray(k * d * d, (k + 1) * d * d), d),
  );
  const out = kernels.f64(at, count * components); // after the last allocation, which may detach it
  whiteners.forEach(({ lower, logPeak }, k) => {
    const traced = floor > 0 ? floor / 2 * lower.reduce((sum, value) => sum + value * value, 0) : 0;
    const peak = logWeights[k] + logPeak - traced, mean = means.subarray(k * d, (k + 1) * d);
    for (let i = 0; i < count; i++) {
      for (let p = 0; p < d; p++) centred[p] = values[i * d + p] - mean[p];
      out[i * components + k] = peak - squaredNorm(lower, centred, d) / 2;
    }
  });
  return out;
}

/** Natural logarithms by the kernel. */
export function logsOf(kernels: Kernels, values: Float64Array): Float64Array {
  return borrowing(kernels, () => {
    const at = kernels.allocate(values.length * 8);
    kernels.f64(at, values.length).set(values);
    kernels.logInPlace(at, values.length);
    return kernels.f64(at, values.length).slice();
  });
}

/**
 * Turns `count` rows of `components` logarithms at `logs` into numbers of sum 1 in proportion to their exp; returns the
 * logarithm of each row's sum of exp, a view of `sums` (`count` f64).
 */
export function normalize(
  kernels: Kernels,
  logs: number,
  sums: number,
  components: number,
  count: number,
): Float64Array {
  const rows = kernels.f64(logs, count * components), totals = kernels.f64(sums, count);
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

/** log of the mixture's density at each point, in nats, up to no constant. */
export function logDensities(kernels: Kernels, mixture: Mixture, values: Float64Array): Float64Array {
  return borrowing(kernels, () => {
    const count = values.length / mixture.dimensions, components = mixture.weights.length;
    const at = kernels.allocate(count * components * 8), sums = kernels.allocate(count * 8);
    jointLogs(kernels, mixture, values, 0, at);
    return normalize(kernels, at, sums, components, count).slice();
  });
}
