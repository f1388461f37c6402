import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { ballsAround, ballsAt } from "./balls.ts";
import { requireImages } from "./metric_input.ts";

/**
 * Precision: the part of the generated images that look like training images, those that lie in the ball of at least
 * one training image. A ball reaches to the k-th nearest other training image. Kynkäänniemi et al., "Improved Precision and Recall Metric for
 * Assessing Generative Models" (2019), with distances of pixels in place of network features.
 *
 * In [0, 1], higher is better; 1 or 0 for each generated image. A copier scores 1, noise 0, one repeated image as that image
 * alone: read it with recall. New images of the same kind score less than 1, as the held-out images do.
 */
export const precision = definePlugin({
  api: 1,
  kind: "metric",
  name: "precision",
  about: "part of the generated images that lie among training images; near 1: plausible (or copied), 0: failed",
  options: {
    neighbours: {
      default: 3,
      min: 1,
      max: 100,
      integer: true,
      about: "a training image's ball reaches to its neighbour of this rank; larger: more lenient",
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
  requireImages("precision", input);
  const { generated, training, kernels } = input;
  const balls = ballsAround(kernels, training, neighbours, "training", input.trainingNeighbours);
  const inside = ballsAt(kernels, generated, balls);
  return {
    values: inside.map((count) => Math.min(count, 1)),
    of: "generated",
    series: { balls: inside },
    settings: { neighbours: balls.k, training: training.count },
    warnings: balls.warnings,
  };
}
