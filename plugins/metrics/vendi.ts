import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { type FeatureInput, type FeatureMeasure, featureMetric } from "./features/feature_metric.ts";
import { jackknifeError, part, squaredDistances, squaredLengths } from "./features/features.ts";

/**
 * The Vendi score of Friedman and Dieng, "The Vendi Score: A Diversity Evaluation Metric for Machine Learning" (2023): the exponential
 * of the entropy of the eigenvalues of K / n, where K holds the cosines of the features of the n images. Features are the judge's
 * histograms of gradients or pixels, in [0, 1].
 *
 * From 1, all images equal, to n, all features at right angles: the number of kinds of images. Compare it with that of as many
 * held-out images. It does not look at training images: a copier scores as they do, and noise high.
 */
export const vendi = featureMetric({
  name: "vendi",
  about: "Vendi score: effective number of different images; near held-out images': as varied, 1: all equal",
  measure,
});

function measure({ kernels, generated, featuresOf }: FeatureInput): FeatureMeasure {
  const x = featuresOf(generated);
  return {
    counts: { count: x.count },
    score() {
      const lengths = squaredLengths(kernels, x);
      const cosines = squaredDistances(kernels, x, x).map((row, i) => {
        // An image without features is like no other one.
        return row.map((value, j) =>
          i === j ? 1 : (lengths[i] + lengths[j] - value) / 2 / Math.sqrt(lengths[i] * lengths[j]) || 0
        );
      });
      const all = [...cosines.keys()];
      const score = (kept: readonly number[]) => vendiScore(part(cosines, kept, kept));
      return { score: score(all), standardError: jackknifeError(all.length, score) };
    },
  };
}

/** The exponential of the entropy of the eigenvalues of similarities over their number. */
export function vendiScore(similarities: readonly ArrayLike<number>[]): number {
  const count = similarities.length;
  const matrix = new Matrix(similarities.map((row) => Array.from(row)));
  const { realEigenvalues } = new EigenvalueDecomposition(matrix, { assumeSymmetric: true });
  const parts = realEigenvalues.map((value) => Math.max(value / count, 0));
  return Math.exp(-parts.reduce((sum, value) => sum + (value > 0 ? value * Math.log(value) : 0), 0));
}
