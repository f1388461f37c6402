import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { originalityDistances } from "../../core/nearest.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The originality of section "Originality": d_G, the L2 distance of an image to its nearest training image, over d_T, the
 * distance from that one to its own nearest. 0 for a copy, 1 for an image as far from the training set as that is from
 * itself. Distances are over the values of all channels, in [0, 1]: those of a grey image given as three equal channels are
 * sqrt(3) times as long, the originality is the same. Training images that are the same as another count once: the distance from one
 * to its own nearest is that to the nearest which differs.
 *
 * From 0 up, best near the held-out images' score: noise scores far above it. One image repeated scores whatever that one does.
 * The mean hides single copies: read the least value beside it.
 */
export const originality = definePlugin({
  api: 1,
  kind: "metric",
  name: "originality",
  about: "distance to the nearest training image over that one's own; near 1: new, near 0: copied",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("originality", input);
  const { generated, training, kernels } = input;
  const { nearest, dG, dT } = originalityDistances(kernels, generated, training);
  const known = dT.map((distance) => Number.isFinite(distance) ? distance : NaN);
  const values = dG.map((distance, i) => distance / known[i]);
  const warnings: string[] = [];
  if (training.count < 2) warnings.push("fewer than two training images: there is no distance to compare with");
  else if (known.some(Number.isNaN)) {
    warnings.push("all training images are equal: there is no distance to compare with");
  }
  return {
    values,
    of: "generated",
    series: { dG, dT: known, nearest: Float64Array.from(nearest) },
    settings: { training: training.count },
    warnings,
  };
}
