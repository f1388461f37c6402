/**
 * Fits mixtures of Gaussians by expectation maximization (Dempster, Laird and Rubin 1977), the density behind EPLL's patch prior.
 * Every log and exp is the kernels', the start is a stream's: a fit is the same bits on every engine.
 */
import { borrowing, type Kernels } from "../../core/kernels.ts";
import type { Stream } from "../../core/random.ts";
import { addProducts, jointLogs, type Mixture, normalize } from "./mixture.ts";

/** Points to fit to: point i is `values[i * dimensions + ...]` and counts `weights[i]` > 0 times. */
export interface Points {
  readonly dimensions: number;
  readonly values: Float64Array;
  readonly weights: Float64Array;
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
  /** The most components: there are never more than points, and a component that no point belongs to is dropped. */
  readonly components: number;
  /** Variance added in every direction, > 0: see `fitMixture`. */
  readonly floor: number;
  /** How many starts; the best fit is kept. */
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
const MIN_WEIGHT = 1e-9;
/** A point that belongs to a component with less than this probability is left out of its mean and covariance. */
const MIN_SHARE = 1e-12;
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

/** One start of EM: E-steps and M-steps in turn, until an iteration gains too little. */
function expectationMaximization(kernels: Kernels, points: Points, options: MixtureOptions): FittedMixture {
  const { floor, iterations, tolerance } = options;
  const count = points.weights.length;
  const total = points.weights.reduce((sum, weight) => sum + weight, 0);
  const shares = startShares(points, options);
  let mixture = maximize(points, shares, floor, total);
  const at = kernels.allocate(shares.length * 8);
  const sums = kernels.allocate(count * 8);
  const objective: number[] = [];
  for (let iteration = 0;; iteration++) {
    // E-step: how much of each point belongs to each component.
    const logs = jointLogs(kernels, mixture, points.values, floor, at);
    const likelihoods = normalize(kernels, at, sums, logs.length / count, count);
    let mean = 0;
    for (let i = 0; i < count; i++) mean += points.weights[i] / total * likelihoods[i];
    objective.push(mean);
    const converged = iteration > 0 && mean - objective[iteration - 1] < tolerance;
    if (converged || iteration === iterations) return { ...mixture, objective, converged };
    // M-step: the components that those shares make.
    mixture = maximize(points, kernels.f64(at, logs.length), floor, total);
  }
}

/** Points and the centre that is nearest to each. */
interface Nearest {
  readonly distances: Float64Array;
  readonly centre: Int32Array;
}

/** The first shares (points x components): each point belongs to its nearest centre after a few rounds of k-means. */
function startShares(points: Points, { components, random }: MixtureOptions): Float64Array {
  const count = points.weights.length;
  const nearest = { distances: new Float64Array(count).fill(Infinity), centre: new Int32Array(count) };
  const centres = scatteredCentres(points, components, random, nearest);
  for (let round = 0; round < LLOYD_ROUNDS; round++) {
    moveToMeans(points, centres, nearest);
    nearest.distances.fill(Infinity);
    centres.forEach((centre, k) => compare(points, centre, k, nearest));
  }
  const shares = new Float64Array(count * centres.length);
  for (let i = 0; i < count; i++) shares[i * centres.length + nearest.centre[i]] = 1;
  return shares;
}

/** k-means++ (Arthur and Vassilvitskii 2007): each centre is a point, drawn with its squared distance to the others as odds. */
function scatteredCentres(points: Points, most: number, random: Stream, nearest: Nearest): number[][] {
  const { dimensions: d, values, weights } = points;
  const count = weights.length;
  const centres: number[][] = [];
  while (centres.length < Math.min(most, count)) {
    const odds = weights.map((weight, i) => centres.length === 0 ? weight : weight * nearest.distances[i]);
    const sum = odds.reduce((sum, value) => sum + value, 0);
    if (!(sum > 0)) break; // every point is a centre already
    let aim = random.next() * sum;
    let chosen = 0;
    for (let i = 0; i < count && aim >= 0; i++) {
      if (odds[i] > 0) chosen = i;
      aim -= odds[i];
    }
    const centre = [...values.subarray(chosen * d, (chosen + 1) * d)];
    centres.push(centre);
    compare(points, centre, centres.length - 1, nearest);
  }
  return centres;
}

/** Notes centre `k` for the points that are nearer to it than to those before. */
function compare({ dimensions: d, values }: Points, centre: readonly number[], k: number, nearest: Nearest): void {
  const { distances } = nearest;
  for (let i = 0; i < distances.length; i++) {
    let sum = 0;
    for (let p = 0; p < d; p++) sum += (values[i * d + p] - centre[p]) ** 2;
    if (sum < distances[i]) {
      distances[i] = sum;
      nearest.centre[i] = k;
    }
  }
}

/** Moves each centre to the mean of its points; one without points stays. */
function moveToMeans({ dimensions: d, values, weights }: Points, centres: number[][], nearest: Nearest): void {
  const held = new Float64Array(centres.length);
  for (let i = 0; i < weights.length; i++) held[nearest.centre[i]] += weights[i];
  centres.forEach((centre, k) => held[k] > 0 && centre.fill(0));
  for (let i = 0; i < weights.length; i++) {
    const k = nearest.centre[i];
    const part = weights[i] / held[k];
    const centre = centres[k];
    for (let p = 0; p < d; p++) centre[p] += part * values[i * d + p];
  }
}

/**
 * The M-step, for points with weights w_i that belong to component k by the share r_ik:
 *
 *   pi_k ~ sum_i w_i r_ik,   mu_k = sum_i w_i r_ik x_i / sum_i w_i r_ik,
 *   Sigma_k = sum_i w_i r_ik (x_i - mu_k)(x_i - mu_k)^T / sum_i w_i r_ik + floor I.
 *
 * @param shares Points x components.
 * @param total The sum of w_i.
 */
function maximize(
  { dimensions: d, values, weights }: Points,
  shares: Float64Array,
  floor: number,
  total: number,
): Mixture {
  const count = weights.length;
  const components = shares.length / count;
  const kept: number[] = [];
  const sums = new Float64Array(components);
  const means = new Float64Array(components * d);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < components; k++) sums[k] += weights[i] * shares[i * components + k];
  }
  for (let k = 0; k < components; k++) if (sums[k] > MIN_WEIGHT * total) kept.push(k);
  const covariances = new Float64Array(kept.length * d * d);
  kept.forEach((k, to) => {
    const mean = means.subarray(to * d, (to + 1) * d);
    const covariance = covariances.subarray(to * d * d, (to + 1) * d * d);
    for (let i = 0; i < count; i++) {
      const part = weights[i] * shares[i * components + k] / sums[k];
      if (part > 0) { for (let p = 0; p < d; p++) mean[p] += part * values[i * d + p]; }
    }
    const owned: number[] = [];
    for (let i = 0; i < count; i++) if (shares[i * components + k] > MIN_SHARE) owned.push(i);
    addProducts(values, mean, covariance, owned, (i) => weights[i] * shares[i * components + k] / sums[k]);
    for (let p = 0; p < d; p++) {
      for (let q = 0; q < p; q++) covariance[q * d + p] = covariance[p * d + q];
      covariance[p * d + p] += floor;
    }
  });
  const keptSum = kept.reduce((sum, k) => sum + sums[k], 0);
  return {
    dimensions: d,
    weights: Float64Array.from(kept, (k) => sums[k] / keptSum),
    means: means.slice(0, kept.length * d),
    covariances,
  };
}
