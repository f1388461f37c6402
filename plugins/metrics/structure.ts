import { counted } from "../../core/counted.ts";
import { closestCorrelations } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import { regionRows, structureRows } from "../../core/structure.ts";
import type { Rows } from "../../core/types.ts";
import type { MetricInput, MetricResult, Region } from "../../core/metric.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The structure that an image shares with a training image: their highest correlation after local mean and contrast are taken
 * out of both (a Gaussian window of 6 pixels of 128). It finds copies that originality does not show because they are relit:
 * the shading of one image on the detail of another. The series `nearest` is the number of that training image. For each region of
 * the images, such as eyes, a series of its name has the highest correlation inside it, with any training image.
 *
 * In [-1, 1], best near the held-out images' score; a copier scores 1, even if it changes the light, and noise near 0. One
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
  const { generated, training, regions = [], kernels } = input;
  return borrowing(kernels, () => {
    const ofGenerated = structureRows(kernels, generated);
    const ofTraining = structureRows(kernels, training);
    const { correlation, nearest } = closestCorrelations(kernels, ofGenerated, ofTraining);
    const flat = correlation.filter(Number.isNaN).length;
    const inRegions = regions.map((region): [string, Float64Array] => {
      return [region.name, inRegion(kernels, ofGenerated, ofTraining, region)];
    });
    return {
      values: correlation,
      of: "generated",
      series: { nearest: Float64Array.from(nearest), ...Object.fromEntries(inRegions) },
      settings: { training: training.count },
      warnings: flat > 0
        ? [`${counted(flat, "image has", "images have")} no structure, being flat; left out of the score`]
        : [],
    };
  });
}

/** The highest correlation of each image inside a region. Local mean and contrast are those of the whole images. */
function inRegion(kernels: Kernels, generated: Rows, training: Rows, region: Region): Float64Array {
  return borrowing(kernels, () => {
    const queries = regionRows(kernels, generated, region);
    return closestCorrelations(kernels, queries, regionRows(kernels, training, region)).correlation;
  });
}
