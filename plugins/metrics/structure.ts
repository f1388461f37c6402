import { closestCorrelations } from "../../core/correlation.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import { structureRows } from "../../core/structure.ts";
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
      warnings: flat > 0 ? [`${flat} images have no structure, being flat; they are left out of the score`] : [],
    };
  });
}

/** The highest correlation of each image inside a region. Local mean and contrast are those of the whole images. */
function inRegion(kernels: Kernels, generated: Rows, training: Rows, region: Region): Float64Array {
  return borrowing(kernels, () => {
    const queries = croppedRows(kernels, generated, region);
    return closestCorrelations(kernels, queries, croppedRows(kernels, training, region)).correlation;
  });
}

/** Copies a region of images to new kernel memory. It has at least one pixel. */
function croppedRows(kernels: Kernels, rows: Rows, region: Region): Rows {
  const { count, height, width, channels } = rows;
  const along = (side: number, from: number, part: number) => {
    const first = Math.min(Math.round(from * side), side - 1);
    return { first, length: Math.max(Math.min(Math.round((from + part) * side), side) - first, 1) };
  };
  const down = along(height, region.y, region.height);
  const across = along(width, region.x, region.width);
  const size = { height: down.length, width: across.length, channels };
  const at = kernels.allocate(count * lengthOf(size));
  for (let plane = 0; plane < count * channels; plane++) {
    const from = rows.at + (plane * height + down.first) * width + across.first;
    const to = at + plane * size.height * size.width;
    for (let row = 0; row < size.height; row++) {
      kernels.u8(to + row * size.width, size.width).set(kernels.u8(from + row * width, size.width));
    }
  }
  return { ...rows, ...size, at };
}
