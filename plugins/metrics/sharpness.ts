import { mean } from "../../core/numbers.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Kernels } from "../../core/kernels.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The sharpness of images: the gradient energy of an image, the mean square of the differences of neighbouring pixels, over the
 * mean gradient energy of the training images. Below 1 is blurred (averages of patches are), above 1 noisy or jagged.
 *
 * For colour images it is the mean over the channels.
 *
 * From 0 up, best near the held-out images' score. It says nothing about the content: noise is very sharp.
 */
export const sharpness = definePlugin({
  api: 1,
  kind: "metric",
  name: "sharpness",
  about: "gradient energy over that of the training images; near 1: as sharp, below: blurred, above: noisy",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("sharpness", input);
  const { generated, training, kernels } = input;
  const own = gradientEnergies(kernels, training);
  const usual = mean(own);
  const energy = gradientEnergies(kernels, generated);
  const warnings = usual > 0 ? [] : ["the training images are flat: there is no sharpness to compare with"];
  return {
    values: energy.map((value) => usual > 0 ? value / usual : NaN),
    of: "generated",
    series: { energy },
    settings: { training: training.count },
    warnings,
  };
}

/** The mean of (right - here)^2 + (below - here)^2 over all values of each image, pixels in [0, 1]. */
function gradientEnergies(kernels: Kernels, rows: Rows): Float64Array {
  const { at, count, height, width } = rows;
  const length = lengthOf(rows);
  const pixels = kernels.u8(at, count * length);
  return Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    for (let p = 0; p < length; p++) {
      const here = pixels[i * length + p];
      if (p % width + 1 < width) sum += (pixels[i * length + p + 1] - here) ** 2;
      if (Math.floor(p / width) % height + 1 < height) sum += (pixels[i * length + p + width] - here) ** 2;
    }
    return sum / (255 * 255 * length);
  });
}
