import { mean } from "../../core/numbers.ts";
import { definePlugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The contrast of images: the standard deviation of an image's pixels, over the mean of that of the training images. Averages
 * of unlike examples are flat and score below 1. The series `deviation` is the standard deviation itself, in grey levels.
 *
 * All values of colour images count, in every channel.
 *
 * From 0 up, best near the held-out images' score. It says nothing about the content: noise may score anything. On 128x128
 * photographs of faces, test images have 49 grey levels and images synthesized by the paper's method 39.
 */
export const contrast = definePlugin({
  api: 1,
  kind: "metric",
  name: "contrast",
  about: "standard deviation of the pixels over that of the training images; near 1: as contrasted, below: flat",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("contrast", input);
  const { generated, training, kernels } = input;
  const own = deviations(kernels, training);
  const usual = mean(own);
  const deviation = deviations(kernels, generated);
  const warnings = usual > 0 ? [] : ["the training images are flat: there is no contrast to compare with"];
  return {
    values: deviation.map((value) => usual > 0 ? value / usual : NaN),
    of: "generated",
    series: { deviation },
    settings: { training: training.count, trainingDeviation: usual },
    warnings,
  };
}

/** The standard deviation of all values of each image, in grey levels. */
function deviations(kernels: Kernels, rows: Rows): Float64Array {
  const { at, count } = rows;
  const length = lengthOf(rows);
  const pixels = kernels.u8(at, count * length);
  return Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    let squares = 0;
    for (let p = i * length; p < (i + 1) * length; p++) {
      sum += pixels[p];
      squares += pixels[p] * pixels[p];
    }
    // Whole numbers up to the square root.
    return Math.sqrt(length * squares - sum * sum) / length;
  });
}
