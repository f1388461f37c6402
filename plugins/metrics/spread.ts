import { counted } from "../../core/counted.ts";
import { borrowing } from "../../core/kernels.ts";
import { lengthOf } from "../../core/shape.ts";
import { equallyMany, requireImages } from "./metric_input.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { precisionFor } from "./perplexity.ts";

/**
 * The least images of a class whose spread may be compared: below, the score depends on the number of images more than on their
 * quality. At 300 images a class real test digits score 1.50, worse than synthesized ones; at 1000 real ones score 0.89 to
 * 0.93 and those of the paper's method 1.37 to 1.42.
 */
export const ENOUGH_FOR_SPREAD = 1000;

/**
 * The spread of section "Spread": around each training image, the log of the weighted squared distances to generated
 * neighbours over those to training neighbours, with the weights p_(j|i) of t-SNE, equation (tsne weight). The score is the mean of
 * the absolute values; 0 if generated images lie as densely as training images. Read it with its interval, and compare it with
 * that of as many held-out images only: it depends on their number.
 */
export const spread = definePlugin({
  api: 1,
  kind: "metric",
  name: "spread",
  about: "how evenly generated images lie among training images; near 0: as densely as the training images themselves",
  options: {
    perplexity: {
      default: 10,
      min: 1.5,
      max: 1000,
      about: "neighbours that count around an image; the paper does not state it, 10 comes nearest to its figures",
    },
  },
  create: ({ perplexity }) => ({
    separable: false,
    measure: (input) => borrowing(input.kernels, () => measure(input, perplexity)),
  }),
});

function measure(input: MetricInput, wanted: number): MetricResult {
  requireImages("spread", input);
  // |T| = |G|, as the paper has it.
  const { count, generated, training, warnings } = equallyMany(input);
  const { kernels } = input;
  const length = lengthOf(training);
  const tooFew = count < ENOUGH_FOR_SPREAD
    ? `a spread of ${
      counted(count, "image")
    } does not rank systems: expected ${ENOUGH_FOR_SPREAD} images of a class or more`
    : undefined;
  if (tooFew) warnings.push(tooFew);
  let perplexity = wanted;
  if (2 * count - 1 < 3 * wanted) {
    perplexity = Math.max((2 * count - 1) / 3, 1);
    warnings.push(`${2 * count} images are too few for perplexity ${wanted}: ${perplexity.toFixed(1)} is used`);
  }
  const toT = kernels.allocate(count * 8);
  const toG = kernels.allocate(count * 8);
  const signed = new Float64Array(count);
  const squared = new Float64Array(2 * count - 1);
  const order = new Float64Array(2 * count - 1);
  for (let i = 0; i < count; i++) {
    kernels.distances(training.at + i * length, 1, training.at, count, length, toT);
    kernels.distances(training.at + i * length, 1, generated.at, count, length, toG);
    // D without the image itself: training images first, then generated ones; distances in [0, 1] units.
    const t = kernels.f64(toT, count);
    const g = kernels.f64(toG, count);
    for (let j = 0, n = 0; j < count; j++) if (j !== i) squared[n++] = t[j] / (255 * 255);
    for (let j = 0; j < count; j++) squared[count - 1 + j] = g[j] / (255 * 255);
    order.set(squared);
    order.sort();
    const beta = precisionFor(order, perplexity);
    const least = order[0];
    // p_(j|i) without its denominator, which is the same in both sums and cancels in their ratio.
    let inT = 0;
    let inG = 0;
    squared.forEach((d, n) => {
      const weighted = Math.exp(-beta * (d - least)) * d;
      if (n < count - 1) inT += weighted;
      else inG += weighted;
    });
    const logRatio = Math.log(inG / inT);
    signed[i] = Number.isFinite(logRatio) ? logRatio : NaN;
  }
  const lost = signed.filter((value) => Number.isNaN(value)).length;
  const few = counted(lost, "training image has", "training images have");
  if (lost > 0) warnings.push(`${few} neighbours of one set only; left out of the score`);
  return {
    values: signed.map(Math.abs),
    of: "training",
    series: { signed },
    settings: { perplexity, count },
    warnings,
    ...tooFew && { tooFew },
  };
}
