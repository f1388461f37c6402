import { borrowing, searchScratch } from "../../core/kernels.ts";
import { definePlugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { patchesOf, requireImages, windowTable } from "./metric_input.ts";

/**
 * The novelty of an image's patches: the distance of a patch to the nearest training patch of its location and window, root mean
 * square over its values in all channels, averaged over the image's patches. 0: every patch is a copy, though the image as a whole may be
 * original (`originality` measures that). Locations are those of `likelihood`.
 *
 * From 0 up, in [0, 1] units of grey, best near the held-out images' score.
 */
export const novelty = definePlugin({
  api: 1,
  kind: "metric",
  name: "novelty",
  about:
    "distance of the patches to their nearest training patch; 0: all copied, held-out images' score: as new as those",
  options: {},
  create: () => ({ separable: true, measure: (input) => borrowing(input.kernels, () => measure(input)) }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("novelty", input);
  const { generated, training, patch, overlap, kernels } = input;
  const { count, channels } = training;
  const pixels = lengthOf(training);
  const inPatch = channels * patch * patch;
  const numbers = new Uint32Array(inPatch);
  // The kernel takes an even number of planes; one more with scale 0 changes no distance.
  const planes = inPatch + inPatch % 2;
  const { table, reach, segmentsAt } = windowTable(input, planes);
  const scale = kernels.allocate(planes * 2);
  const queries = kernels.allocate(generated.count * planes * 2);
  const keys = kernels.allocate(generated.count * 8);
  const scratch = kernels.allocate(searchScratch(planes, generated.count, 1));
  const values = new Float64Array(generated.count);
  kernels.i16(scale, planes).fill(1, 0, inPatch);
  const { rows, columns, numbersAt } = patchesOf(training, patch, overlap);
  const locations = rows.length * columns.length;
  const images = kernels.u8(generated.at, generated.count * pixels);
  for (const y of rows) {
    for (const x of columns) {
      numbersAt(y, x, numbers);
      const segments = segmentsAt(y, x, numbers);
      const asked = kernels.i16(queries, values.length * planes).fill(0);
      for (let i = 0; i < values.length; i++) {
        for (let p = 0; p < inPatch; p++) asked[i * planes + p] = images[i * pixels + numbers[p]];
      }
      const comparison = { table, scale, queries, planes, count, segments, batch: values.length, scratch };
      kernels.search(comparison, 1, 0, keys);
      const words = kernels.u32(keys, values.length * 2);
      for (let i = 0; i < values.length; i++) values[i] += Math.sqrt(words[2 * i + 1] / inPatch) / 255;
    }
  }
  return {
    values: values.map((sum) => sum / locations),
    of: "generated",
    series: {},
    settings: { window: `+-${reach}`, locations, training: count },
    warnings: [],
  };
}
