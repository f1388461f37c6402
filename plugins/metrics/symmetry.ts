import { counted } from "../../core/counted.ts";
import { mean } from "../../core/numbers.ts";
import { definePlugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The symmetry of images: the correlation of an image with its mirror image, left and right exchanged. It is of use for what
 * is symmetric, such as faces from the front, whose halves a synthesis by patches may draw from different people.
 *
 * The values of all channels of colour images are correlated together.
 *
 * In [-1, 1], best near the training images' mean (the setting `trainingMean`) and the held-out images' score: below, halves do
 * not fit each other; above, faces are more regular than real ones. It says nothing about the content: horizontal
 * stripes score 1, noise 0. A flat image has no correlation.
 */
export const symmetry = definePlugin({
  api: 1,
  kind: "metric",
  name: "symmetry",
  about: "correlation of an image with its mirror image; near the held-out images': as symmetric as those, for faces",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("symmetry", input);
  const { generated, training, kernels } = input;
  const values = mirrored(kernels, generated);
  const own = mirrored(kernels, training).filter((value) => !Number.isNaN(value));
  const flat = values.filter(Number.isNaN).length;
  return {
    values,
    of: "generated",
    series: {},
    settings: {
      training: training.count,
      trainingMean: own.length > 0 ? mean(own) : "none",
    },
    warnings: flat > 0
      ? [`${counted(flat, "flat image has", "flat images have")} no correlation; left out of the score`]
      : [],
  };
}

/** The correlation of each image with its mirror image; NaN for a flat one. */
function mirrored(kernels: Kernels, rows: Rows): Float64Array {
  const { at, count, width } = rows;
  const length = lengthOf(rows);
  const pixels = kernels.u8(at, count * length);
  return Float64Array.from({ length: count }, (_, i) => {
    let sum = 0;
    let squares = 0;
    let products = 0;
    for (let left = i * length; left < (i + 1) * length; left += width) {
      for (let x = 0; x < width; x++) {
        const here = pixels[left + x];
        sum += here;
        squares += here * here;
        products += here * pixels[left + width - 1 - x];
      }
    }
    // The sums and squares of both images are the same.
    return (length * products - sum * sum) / (length * squares - sum * sum);
  });
}
