import { mean } from "../../core/numbers.ts";
import { type FeatureInput, type FeatureMeasure, featureMetric } from "./features/feature_metric.ts";
import { jackknifeError, part, squaredDistances, squaredLengths } from "./features/features.ts";

/**
 * The kernel distance (KID) of Bińkowski et al., "Demystifying MMD GANs" (2018): the unbiased squared maximum mean discrepancy of the
 * features of the images and of the training images, with the kernel (x y / d + 1)^3 of d features. Features are the judge's
 * histograms of gradients or pixels, in [0, 1].
 *
 * About 0 for another sample of the same kind, on average at any number of images; below 0 by chance. Above: another kind. A copier
 * scores about 0.
 */
export const kernelDistance = featureMetric({
  name: "kernel-distance",
  about: "kernel distance (KID) of the features to the training images'; near 0: alike, above: not",
  measure,
});

function measure({ kernels, generated, training, featuresOf }: FeatureInput): FeatureMeasure {
  const [x, y] = [generated, training].map(featuresOf);
  return {
    counts: { count: x.count, training: y.count },
    score() {
      const [lx, ly] = [x, y].map((rows) => squaredLengths(kernels, rows));
      const kernelOf = (squared: readonly Float64Array[], from: Float64Array, to: Float64Array) => {
        return squared.map((row, i) => row.map((value, j) => (((from[i] + to[j] - value) / 2) / x.width + 1) ** 3));
      };
      const xx = kernelOf(squaredDistances(kernels, x, x), lx, lx);
      const yy = kernelOf(squaredDistances(kernels, y, y), ly, ly);
      const xy = kernelOf(squaredDistances(kernels, x, y), lx, ly);
      const all = [...xx.keys()];
      const ofTraining = meanOfPairs(yy);
      const distance = (kept: readonly number[]) => {
        return meanOfPairs(part(xx, kept, kept)) + ofTraining - 2 * mean(part(xy, kept).map(mean));
      };
      return { score: distance(all), standardError: jackknifeError(all.length, distance) };
    },
  };
}

/** The mean of the values of pairs of two different images. */
function meanOfPairs(rows: readonly Float64Array[]): number {
  const sum = rows.reduce((sum, row, i) => sum + row.reduce((a, b) => a + b, 0) - row[i], 0);
  return sum / (rows.length * (rows.length - 1));
}
