import { definePlugin } from "../../core/plugin.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { MetricInput, MetricResult, Rows } from "../../core/types.ts";

/**
 * The originality of section "Originality": d_G, the L2 distance of an image to its nearest training image, over d_T, the
 * distance from that one to its own nearest. 0 for a copy, 1 for an image as far from the training set as that is from
 * itself. Distances are in pixels of [0, 1].
 */
export const originality = definePlugin({
  api: 1,
  kind: "metric",
  name: "originality",
  about: "distance to the nearest training image over that one's own; near 1: new, near 0: copied",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure({ generated, training, kernels }: MetricInput): MetricResult {
  const found = nearestIn(kernels, generated, training);
  const dG = found.distance, nearest = found.index, dT = new Float64Array(generated.count);
  const known = new Map<number, number>();
  for (let i = 0; i < generated.count; i++) {
    const image = nearest[i];
    if (!known.has(image)) {
      const length = training.size ** 2, one = { count: 1, size: training.size, at: training.at + image * length };
      known.set(image, nearestIn(kernels, one, training, image).distance[0]);
    }
    dT[i] = known.get(image)!;
  }
  // A training image that stands there twice has d_T = 0: a copy of it is no more original than any other copy.
  const values = dG.map((distance, i) => distance === 0 ? 0 : distance / dT[i]);
  const doubled = values.filter((value) => !Number.isFinite(value)).length;
  const warnings = doubled > 0
    ? [`${doubled} images are nearest to a training image that stands there twice; they are left out of the score`]
    : [];
  if (training.count < 2) warnings.push("fewer than two training images: there is no distance to compare with");
  return {
    values: values.map((value) => Number.isFinite(value) ? value : NaN),
    of: "generated",
    series: { dG, dT, nearest: Float64Array.from(nearest) },
    settings: { training: training.count },
    warnings,
  };
}

/** Queries whose distances are held at once. */
const BLOCK = 16;

/** The nearest image of a set to each query (the lower number where two are as near), one number left out. */
function nearestIn(
  kernels: Kernels,
  queries: Rows,
  { at, count, size }: Rows,
  except = -1,
): { index: Int32Array; distance: Float64Array } {
  const length = size * size, mark = kernels.mark(), out = kernels.allocate(BLOCK * count * 8);
  const index = new Int32Array(queries.count).fill(-1), distance = new Float64Array(queries.count).fill(Infinity);
  for (let first = 0; first < queries.count; first += BLOCK) {
    const batch = Math.min(BLOCK, queries.count - first);
    kernels.distances(queries.at + first * length, batch, at, count, length, out);
    for (let b = 0; b < batch; b++) {
      const all = kernels.f64(out + b * count * 8, count);
      let best = -1, least = Infinity;
      for (let i = 0; i < count; i++) {
        if (all[i] < least && i !== except) {
          least = all[i];
          best = i;
        }
      }
      index[first + b] = best;
      distance[first + b] = Math.sqrt(least) / 255;
    }
  }
  kernels.release(mark);
  return { index, distance };
}
