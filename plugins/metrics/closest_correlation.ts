import { counted } from "../../core/counted.ts";
import { closestCorrelations } from "../../core/correlation.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The closest correlation: the highest correlation of an image with a training image. It finds copies that distances do not
 * show, because they are brighter, darker or of another contrast than their original. The series `nearest` is the number of
 * that training image.
 *
 * The values of all channels of colour images are correlated together: other colours are another image.
 *
 * In [-1, 1], best near the held-out images' score; a copier scores 1, whatever it does to brightness and contrast, noise near
 * 0. One repeated image scores as that image alone. The mean hides single copies: read the greatest value beside it.
 */
export const closestCorrelation = definePlugin({
  api: 1,
  kind: "metric",
  name: "closest-correlation",
  about: "highest correlation with a training image, whatever the contrast; 1: copied, near the held-out images': new",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("closest-correlation", input);
  const { generated, training, kernels } = input;
  const { correlation, nearest } = closestCorrelations(kernels, generated, training);
  const without = correlation.filter(Number.isNaN).length;
  return {
    values: correlation,
    of: "generated",
    series: { nearest: Float64Array.from(nearest) },
    settings: { training: training.count },
    warnings: without > 0
      ? [
        `${
          counted(without, "image has", "images have")
        } no correlation, being flat or beside flat training images; left out of the score`,
      ]
      : [],
  };
}
