import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { nearestIn, toUnits } from "../../core/nearest.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The distance to the closest record: of each generated image to its nearest training image, over the median of the same
 * distance of held-out images. It measures copying, and comes from the privacy of synthetic data: Platzer and Reutterer,
 * "Holdout-Based Empirical Assessment of Mixed-Type Synthetic Data" (2021); the 5th percentiles describe the nearest images.
 *
 * From 0 up; 1 is best: as near as images that the generator never saw. Below 1: nearer than chance; a copier scores 0.
 * Above 1: unlike the data; noise scores far above 1. One repeated image scores as that image alone. Distances in the settings
 * and the series are L2, pixels in [0, 1].
 */
export const closestRecord = definePlugin({
  api: 1,
  kind: "metric",
  name: "closest-record",
  about: "distance to the nearest training image over that of held-out images; near 1: as new as they are, 0: copied",
  options: {},
  // Each value depends on its image alone, but most of the work is the baseline, which every part of the images needs.
  create: () => ({ separable: false, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("closest-record", input);
  const { generated, training, heldOut, kernels } = input;
  const warnings: string[] = [];
  const distance = nearestIn(kernels, generated, training).squared.map(toUnits);
  const isHeldOut = heldOut !== undefined && heldOut.count > 0;
  const { squared } = isHeldOut
    ? nearestIn(kernels, heldOut, training)
    : nearestIn(kernels, training, training, 1, (i) => i);
  const sorted = squared.map(toUnits).sort();
  const median = quantile(sorted, 0.5);
  const values = distance.map((d) => d === 0 ? 0 : median > 0 && median < Infinity ? d / median : NaN);
  if (!isHeldOut) warnings.push("no held-out images: distances are divided by those among the training images");
  if (training.count < 2 && !isHeldOut) {
    warnings.push("one training image alone has no neighbour: there is no distance to compare with");
  }
  if (median === 0) {
    const what = isHeldOut ? "held-out images are copies of training images" : "training images stand there twice";
    warnings.push(`half or more of the ${what}: there is no distance to compare with but for copies`);
  }
  const own = distance.toSorted();
  return {
    values,
    of: "generated",
    series: { distance },
    settings: {
      median: quantile(own, 0.5),
      fifthPercentile: quantile(own, 0.05),
      baseline: isHeldOut ? "held-out images" : "training images",
      baselineMedian: finiteOrNone(median),
      baselineFifthPercentile: finiteOrNone(quantile(sorted, 0.05)),
    },
    warnings,
  };
}

/** A distance as a setting: one training image alone has none to another. */
function finiteOrNone(distance: number): number | string {
  return distance === Infinity ? "none" : distance;
}

/** The quantile of sorted values, with linear interpolation between two of them. */
function quantile(sorted: Float64Array, part: number): number {
  const at = part * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.ceil(at);
  return below === above ? sorted[below] : sorted[below] * (above - at) + sorted[above] * (at - below);
}
