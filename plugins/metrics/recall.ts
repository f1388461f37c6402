import { counted } from "../../core/counted.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { ballsAround, ballsAt } from "./balls.ts";
import { requireImages } from "./metric_input.ts";

/**
 * Recall: the part of the training images that the generator might have made, those that lie in the ball of at least one
 * generated image. A ball reaches to the k-th nearest other generated image. Kynkäänniemi et al., "Improved Precision and
 * Recall Metric for Assessing Generative Models" (2019), with distances of pixels in place of network features.
 *
 * In [0, 1], higher is better; 1 or 0 for each training image. A copier of many images scores near 1, one image repeated 0.
 * Noise scores 0 where it is farther from images than from itself, but images that fail in many ways have large balls and may
 * score high: read it with precision. The fewer images are generated, the larger are their balls.
 */
export const recall = definePlugin({
  api: 1,
  kind: "metric",
  name: "recall",
  about:
    "part of the training images that lie among generated images; near 1: all kinds are made, 0: one image repeated",
  options: {
    neighbours: {
      default: 3,
      min: 1,
      max: 100,
      integer: true,
      about: "a generated image's ball reaches to its neighbour of this rank; larger: more lenient",
    },
  },
  create: ({ neighbours }) => ({ separable: false, measure: (input) => measure(input, neighbours) }),
});

function measure(input: MetricInput, neighbours: number): MetricResult {
  requireImages("recall", input);
  const { generated, training, kernels } = input;
  const balls = ballsAround(kernels, generated, neighbours, "generated");
  const inside = ballsAt(kernels, training, balls);
  const unequal = generated.count === training.count ? [] : [
    `the recall of ${counted(generated.count, "image")} compares only with that of as many: fewer have larger balls`,
  ];
  return {
    values: inside.map((count) => Math.min(count, 1)),
    of: "training",
    series: { balls: inside },
    settings: { neighbours: balls.k, generated: generated.count },
    warnings: [...balls.warnings, ...unequal],
  };
}
