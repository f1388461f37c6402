import { eachRow } from "../../core/nearest.ts";
import { definePlugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { MetricInput, MetricResult, Rows } from "../../core/types.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The closest correlation: the highest correlation of an image with a training image. It finds copies that distances do not
 * show, because they are brighter, darker or of another contrast than their original. The series `nearest` is the number of
 * that training image.
 *
 * Of colour images the values of all channels are correlated together: other colours are another image.
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
  const { generated, training, kernels } = input, length = lengthOf(training);
  const own = momentsOf(kernels, generated), theirs = momentsOf(kernels, training);
  const values = new Float64Array(generated.count).fill(NaN), nearest = new Float64Array(generated.count).fill(-1);
  eachRow(kernels, generated, training, (i, squared) => {
    if (own.variance[i] === 0) return;
    let best = -Infinity;
    for (let t = 0; t < squared.length; t++) {
      if (theirs.variance[t] === 0) continue;
      // |a - b|^2 = |a|^2 + |b|^2 - 2 a b, all in whole numbers.
      const product = (own.squares[i] + theirs.squares[t] - squared[t]) / 2;
      const covariance = length * product - own.sum[i] * theirs.sum[t];
      const correlation = covariance / Math.sqrt(own.variance[i] * theirs.variance[t]);
      if (correlation <= best) continue;
      best = correlation;
      nearest[i] = t;
    }
    if (nearest[i] >= 0) values[i] = Math.min(best, 1);
  });
  const without = values.filter(Number.isNaN).length;
  return {
    values,
    of: "generated",
    series: { nearest },
    settings: { training: training.count },
    warnings: without > 0
      ? [
        `${without} images have no correlation, being flat or beside flat training images; they are left out of the score`,
      ]
      : [],
  };
}

/** Sums of the pixels of each image, of their squares, and `length` squared times their variance; in whole numbers. */
function momentsOf(kernels: Kernels, rows: Rows) {
  const { at, count } = rows, length = lengthOf(rows), pixels = kernels.u8(at, count * length);
  const sum = new Float64Array(count), squares = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    for (let p = i * length; p < (i + 1) * length; p++) {
      sum[i] += pixels[p];
      squares[i] += pixels[p] * pixels[p];
    }
  }
  return { sum, squares, variance: sum.map((total, i) => length * squares[i] - total * total) };
}
