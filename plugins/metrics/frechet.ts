import { mean } from "../../core/numbers.ts";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { type FeatureInput, type FeatureMeasure, featureMetric } from "./features/feature_metric.ts";
import { jackknifeError, part, squaredDistances } from "./features/features.ts";

/**
 * The Fréchet distance of Heusel et al., "GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium" (2017),
 * of Gaussians that are fitted to the features of the images and of the training images: |m - m'|^2 + Tr(S + S' - 2 (S S')^(1/2)).
 * Features are the judge's histograms of gradients or pixels, in [0, 1], in place of a trained network's.
 *
 * From 0 up; 0: equal means and covariances. It falls with the number of images: compare it with that of as many held-out images. A
 * copier scores near 0; noise scores far above all else.
 */
export const frechet = featureMetric({
  name: "frechet",
  about:
    "Fréchet distance of the features' Gaussians to the training images'; near held-out images': alike, above: not",
  measure,
});

function measure({ kernels, generated, training, featuresOf }: FeatureInput): FeatureMeasure {
  const [x, y] = [generated, training].map(featuresOf);
  return {
    counts: { count: x.count, training: y.count },
    score() {
      const xx = squaredDistances(kernels, x, x);
      const yy = squaredDistances(kernels, y, y);
      const xy = squaredDistances(kernels, x, y);
      const all = [...xx.keys()];
      const distance = (kept: readonly number[]) => frechetDistance(part(xx, kept, kept), yy, part(xy, kept));
      return { score: distance(all), standardError: jackknifeError(all.length, distance) };
    },
  };
}

/**
 * The Fréchet distance of two sets by their squared distances. The trace of the root is the sum of the singular values of the matrix
 * of products of centred features, so no covariance of thousands of features is needed.
 */
export function frechetDistance(
  xx: readonly ArrayLike<number>[],
  yy: readonly ArrayLike<number>[],
  xy: readonly ArrayLike<number>[],
): number {
  const [withinX, withinY, between] = [xx, yy, xy].map((rows) => mean(rows.map(mean)));
  const traces = [[xx, withinX], [yy, withinY]] as const;
  const trace = traces.reduce((sum, [{ length }, within]) => sum + within / 2 * length / (length - 1), 0);
  const means = between - (withinX + withinY) / 2;
  const roots = singularValueSum(centred(xy)) / Math.sqrt((xx.length - 1) * (yy.length - 1));
  return Math.max(means + trace - 2 * roots, 0);
}

/** The products of centred features of two sets, by their squared distances. */
function centred(squared: readonly ArrayLike<number>[]): Matrix {
  const ofRows = squared.map(mean);
  const ofColumns = Array.from(squared[0], (_, j) => mean(squared.map((row) => row[j])));
  const all = mean(ofRows);
  return new Matrix(
    squared.map((row, i) => Array.from(row, (value, j) => (ofRows[i] + ofColumns[j] - value - all) / 2)),
  );
}

/** The sum of the singular values of a matrix: the roots of the eigenvalues of its smaller product with itself. */
function singularValueSum(matrix: Matrix): number {
  const wide = matrix.rows <= matrix.columns ? matrix : matrix.transpose();
  const { realEigenvalues } = new EigenvalueDecomposition(wide.mmul(wide.transpose()), { assumeSymmetric: true });
  // The root of what rounding leaves of an eigenvalue of 0 would be ten thousand times as large.
  const least = ROUNDED * Math.max(...realEigenvalues);
  return realEigenvalues.reduce((sum, value) => sum + (value > least ? Math.sqrt(value) : 0), 0);
}

/** Eigenvalues below this part of the largest are 0. */
const ROUNDED = 1e-12;
