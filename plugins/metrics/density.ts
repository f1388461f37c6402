import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/types.ts";
import { ballsAround, ballsAt, requireImages } from "./neighbours.ts";

/**
 * Density: in how many balls of training images a generated image lies, over k; a ball reaches to the k-th nearest other
 * training image. Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models" (2020), with distances of
 * pixels in place of network features. Unlike precision, one outlier among the training images hardly changes it.
 *
 * From 0 up; a new sample of the training images' distribution is expected to score exactly 1, whatever the numbers of
 * images. Above 1: images nearer to the middle of their kind than the training images are. A copier of all images scores
 * (k + 1) / k, noise 0, one image repeated whatever that one scores: read it with coverage.
 */
export const density = definePlugin({
  api: 1,
  kind: "metric",
  name: "density",
  about: "how densely training images lie around a generated one; 1: as around themselves, above: typical, 0: failed",
  options: {
    neighbours: {
      default: 5,
      min: 1,
      max: 100,
      integer: true,
      about: "a training image's ball reaches to its neighbour of this rank; larger: a coarser picture",
    },
  },
  // An image's value is its own, but most of the work are the balls, the same for any part of the images.
  create: ({ neighbours }) => ({ separable: false, measure: (input) => measure(input, neighbours) }),
});

function measure(input: MetricInput, neighbours: number): MetricResult {
  requireImages("density", input);
  const { generated, training, kernels } = input;
  const balls = ballsAround(kernels, training, neighbours, "training");
  return {
    values: ballsAt(kernels, generated, balls).map((count) => count / balls.k),
    of: "generated",
    series: {},
    settings: { neighbours: balls.k, training: training.count },
    warnings: balls.warnings,
  };
}
