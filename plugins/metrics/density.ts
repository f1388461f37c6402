import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { ballsAround, ballsAt } from "./balls.ts";
import { requireImages } from "./metric_input.ts";

/**
 * Density: the number of balls of training images that a generated image lies in, divided by k. A ball reaches to the k-th nearest other
 * training image. Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models" (2020), with distances of
 * pixels in place of network features. Unlike precision, one outlier among the training images hardly changes it.
 *
 * From 0 up; a new sample of the training images' distribution is expected to score exactly 1, whatever the numbers of
 * images. Above 1: images nearer to the middle of their kind than the training images are. A copier of all images scores
 * (k + 1) / k, noise scores 0, one repeated image as that image alone: read it with coverage.
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
  // Each value depends on its image alone, but most of the work is the balls, which every part of the images needs.
  create: ({ neighbours }) => ({
    separable: false,
    trainingNeighbours: neighbours,
    measure: (input) => measure(input, neighbours),
  }),
});

function measure(input: MetricInput, neighbours: number): MetricResult {
  requireImages("density", input);
  const { generated, training, kernels } = input;
  const balls = ballsAround(kernels, training, neighbours, "training", input.trainingNeighbours);
  return {
    values: ballsAt(kernels, generated, balls).map((count) => count / balls.k),
    of: "generated",
    series: {},
    settings: { neighbours: balls.k, training: training.count },
    warnings: balls.warnings,
  };
}
