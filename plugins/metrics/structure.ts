import { closestCorrelations } from "../../core/correlation.ts";
import { borrowing } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import { structureRows } from "../../core/structure.ts";
import type { MetricInput, MetricResult } from "../../core/types.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The structure that an image shares with a training image: their highest correlation after local mean and contrast are taken
 * out of both (a Gaussian window of 6 pixels of 128). It finds copies that originality does not show because they are relit:
 * the shading of one image on the detail of another. The series `nearest` is the number of that training image.
 *
 * In [-1, 1], best near the held-out images' score; a copier scores 1, whatever it does to the light, and noise near 0. One
 * repeated image scores as that image alone. The mean hides single copies: read the greatest value beside it.
 */
export const structure = definePlugin({
  api: 1,
  kind: "metric",
  name: "structure",
  about:
    "highest correlation of local structure with a training image; 1: copied or relit, near the held-out images': new",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("structure", input);
  const { generated, training, kernels } = input;
  return borrowing(kernels, () => {
    const { correlation, nearest } = closestCorrelations(
      kernels,
      structureRows(kernels, generated),
      structureRows(kernels, training),
    );
    const flat = correlation.filter(Number.isNaN).length;
    return {
      values: correlation,
      of: "generated",
      series: { nearest: Float64Array.from(nearest) },
      settings: { training: training.count },
      warnings: flat > 0 ? [`${flat} images have no structure, being flat; they are left out of the score`] : [],
    };
  });
}
