import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { nearestIn, toUnits } from "../../core/nearest.ts";
import { ballsAround } from "./balls.ts";
import { equallyMany, requireImages } from "./metric_input.ts";

/**
 * Coverage: the part of the training images that have a generated image in their ball, which reaches to the k-th nearest
 * other training image. Naeem et al., "Reliable Fidelity and Diversity Metrics for Generative Models" (2020), with distances
 * of pixels in place of network features. As many training as generated images are compared: a few images cannot cover many.
 *
 * In [0, 1], higher is better; 1 or 0 for each training image. A new sample of n images scores about 1 - 2^-k (0.97 for
 * k = 5), a copier of all images 1, noise 0, one image repeated near 0.
 */
export const coverage = definePlugin({
  api: 1,
  kind: "metric",
  name: "coverage",
  about: "part of the training images that have a generated one near by; near 1: all kinds are made, near 0: few are",
  options: {
    neighbours: {
      default: 5,
      min: 1,
      max: 100,
      integer: true,
      about: "near by is up to a training image's neighbour of this rank; larger: more lenient",
    },
  },
  create: ({ neighbours }) => ({ separable: false, measure: (input) => measure(input, neighbours) }),
});

function measure(input: MetricInput, neighbours: number): MetricResult {
  requireImages("coverage", input);
  const { count, generated, training, warnings } = equallyMany(input);
  const { kernels } = input;
  const balls = ballsAround(kernels, training, neighbours, "training");
  const { squared } = nearestIn(kernels, training, generated);
  return {
    values: balls.squared.map((radius, i) => Number.isNaN(radius) ? NaN : Number(squared[i] <= radius)),
    of: "training",
    series: { nearest: squared.map(toUnits), radius: balls.squared.map(toUnits) },
    settings: { neighbours: balls.k, count },
    warnings: [...warnings, ...balls.warnings],
  };
}
