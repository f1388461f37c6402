import { mean, range } from "../../core/numbers.ts";
import type { Kernels } from "../../core/kernels.ts";
import { gather, nearestIn } from "../../core/nearest.ts";
import type { MetricInput } from "../../core/metric.ts";
import type { Rows } from "../../core/types.ts";
import { type FeatureInput, type FeatureMeasure, featureMetric } from "./features/feature_metric.ts";

/**
 * The feature likelihood divergence (FLD) of Jiralerspong et al., "Feature Likelihood Divergence: Evaluating the Generalization of
 * Generative Models Using Samples" (2023): -100 / d times the mean log-likelihood of held-out images under a Gaussian around the
 * features of each generated image, whose variances are fitted to the training images. The variance around a copy becomes nearly 0, so that it
 * explains no held-out image. Features are the judge's histograms of gradients or pixels, of mean 0 and variance 1 over the training
 * images. The constant that the paper subtracts, which depends on the data alone, is left out: only differences count.
 *
 * Lower is better; compare it with the held-out images' own. A copier, a repeated image and noise score above. Held-out images that are
 * among the generated ones are left out. The variances are fitted by EM, whose steps never lower the likelihood.
 */
export const featureLikelihood = featureMetric({
  name: "feature-likelihood",
  about: "FLD: how unlikely held-out images are beside the images; near the held-out images' own: alike, above: not",
  measure,
});

function measure(input: FeatureInput): FeatureMeasure {
  const { kernels, generated, training, featuresOf } = input;
  const [made, learned, tested] = [generated, training, othersThan(input)].map((set) => {
    return valuesOf(kernels, featuresOf(set));
  });
  return {
    counts: { count: made.length, training: learned.length, heldOut: tested.length },
    score() {
      const [centres, train, test] = standardized([made, learned, tested], learned);
      if (train[0].length === 0) return { score: NaN };
      const variances = fittedVariances(squares(train, centres), train[0].length);
      const perImage = logLikelihoods(squares(test, centres), variances, test[0].length);
      const scores = perImage.map((value) => -100 / test[0].length * value);
      const score = mean(scores);
      const variance = mean(scores.map((value) => (value - score) ** 2)) * scores.length / (scores.length - 1);
      return { score, standardError: Math.sqrt(variance / scores.length) };
    },
  };
}

/** The held-out images that are not among the generated ones. */
function othersThan({ generated, training, heldOut, kernels }: MetricInput): Rows {
  if (!heldOut || heldOut.count === 0) return { ...training, count: 0 };
  const { squared } = nearestIn(kernels, heldOut, generated);
  return gather(kernels, heldOut, range(heldOut.count).filter((i) => squared[i] > 0));
}

function valuesOf(kernels: Kernels, { at, count, width }: Rows): Float64Array[] {
  return Array.from({ length: count }, (_, i) => Float64Array.from(kernels.u8(at + i * width, width)));
}

/** Features of mean 0 and variance 1 over a set; those that do not vary there are left out. */
function standardized(sets: readonly Float64Array[][], over: readonly Float64Array[]): Float64Array[][] {
  const means = Array.from(over[0], (_, p) => mean(over.map((values) => values[p])));
  const deviations = means.map((center, p) => Math.sqrt(mean(over.map((values) => (values[p] - center) ** 2))));
  const varying = [...means.keys()].filter((p) => deviations[p] > 0);
  return sets.map((set) => {
    return set.map((values) => Float64Array.from(varying, (p) => (values[p] - means[p]) / deviations[p]));
  });
}

function squares(from: readonly Float64Array[], to: readonly Float64Array[]): Float64Array[] {
  return from.map((a) =>
    Float64Array.from(to, (b) => {
      let sum = 0;
      for (let p = 0; p < a.length; p++) sum += (a[p] - b[p]) ** 2;
      return sum;
    })
  );
}

/** Steps of EM; the variances then change by less than the score's third digit. */
const STEPS = 50;
/** The least variance of a feature, of features of variance 1: that of a copy. */
const LEAST = 1e-4;

/** The variances, one for each centre, that make the training images likeliest: squared distances are training image by centre. */
export function fittedVariances(squared: readonly Float64Array[], features: number): Float64Array {
  const centres = squared[0].length;
  const variances = new Float64Array(centres).fill(Math.max(mean(squared.map(mean)) / features, LEAST));
  for (let step = 0; step < STEPS; step++) {
    const weights = new Float64Array(centres);
    const sums = new Float64Array(centres);
    for (const row of squared) {
      const logs = logDensities(row, variances, features);
      const all = logSum(logs);
      for (let j = 0; j < centres; j++) {
        const weight = Math.exp(logs[j] - all);
        weights[j] += weight;
        sums[j] += weight * row[j];
      }
    }
    for (let j = 0; j < centres; j++) {
      if (weights[j] > 0) variances[j] = Math.max(sums[j] / (weights[j] * features), LEAST);
    }
  }
  return variances;
}

/** The log-likelihood of each image under the mixture of Gaussians. */
export function logLikelihoods(
  squared: readonly Float64Array[],
  variances: Float64Array,
  features: number,
): Float64Array {
  return Float64Array.from(squared, (row) => logSum(logDensities(row, variances, features)) - Math.log(row.length));
}

function logDensities(squared: Float64Array, variances: Float64Array, features: number): Float64Array {
  return squared.map((value, j) => {
    return -value / (2 * variances[j]) - features / 2 * Math.log(2 * Math.PI * variances[j]);
  });
}

/** The logarithm of the sum of exponentials. */
function logSum(logs: Float64Array): number {
  const most = logs.reduce((a, b) => Math.max(a, b));
  return most + Math.log(logs.reduce((sum, value) => sum + Math.exp(value - most), 0));
}
