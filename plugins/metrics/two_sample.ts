import { mean } from "../../core/numbers.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { eachRow } from "../../core/image_distances.ts";
import { equallyMany, requireImages } from "./metric_input.ts";

/**
 * The two-sample test by nearest neighbours: whether the nearest other image of an image, among generated and training
 * images, is of its own set. Lopez-Paz and Oquab, "Revisiting Classifier Two-Sample Tests" (2017), with a leave-one-out
 * 1-nearest-neighbour classifier of pixels and as many images of each set.
 *
 * In [0, 1], 0.5 is best: the sets cannot be distinguished (n images of each of two equal sets are expected to score
 * (n - 1) / (2n - 1)). Above: they differ; below: images are nearer to the other set than two samples are. A copier scores
 * near 0, as far as the originals are among the images compared (a copy and its original are each other's nearest); one
 * image repeated and noise score 1 on the generated images. Hence the accuracy on each set: 0.5 may be the mean of 1 and 0.
 */
export const twoSample = definePlugin({
  api: 1,
  kind: "metric",
  name: "two-sample",
  about: "how often an image's nearest is of its own set; 0.5: not to be told apart, 0: copied, 1: of another kind",
  options: {},
  create: () => ({ separable: false, measure }),
});

/** `values` are those of the generated images, then those of the training images; the series hold one set each. */
function measure(input: MetricInput): MetricResult {
  requireImages("two-sample", input);
  const { count, generated: g, training: t, warnings } = equallyMany(input);
  const { kernels } = input;
  const none = (): Nearest => ({ least: Infinity, equal: 0 });
  const accuracies = [[g, t], [t, g]].map(([own, other]) => {
    const inOwn = Array.from({ length: count }, none);
    const values = new Float64Array(count);
    eachRow(kernels, own, own, (i, row) => inOwn[i] = nearest(row, i));
    eachRow(kernels, own, other, (i, row) => values[i] = ofOwnSet(inOwn[i], nearest(row)));
    return count > 1 ? values : values.fill(NaN);
  });
  if (count < 2) warnings.push("one image of each set: its nearest can only be of the other, there is no score");
  const [generated, training] = accuracies;
  const values = new Float64Array(2 * count);
  values.set(generated);
  values.set(training, count);
  return {
    values,
    of: "both",
    series: { generated, training },
    settings: {
      count,
      ...count > 1 && { accuracyOnGenerated: mean(generated), accuracyOnTraining: mean(training) },
    },
    warnings,
  };
}

/** The least of a row of distances, and how many times it occurs. */
interface Nearest {
  readonly least: number;
  readonly equal: number;
}

function nearest(row: Float64Array, except = -1): Nearest {
  let least = Infinity;
  let equal = 0;
  for (let i = 0; i < row.length; i++) {
    if (row[i] > least || i === except) continue;
    equal = row[i] < least ? 1 : equal + 1;
    least = row[i];
  }
  return { least, equal };
}

/** 1 if the nearest image is of the own set, else 0; among equally near images, the part that is of the own set. */
function ofOwnSet(own: Nearest, other: Nearest): number {
  if (own.least !== other.least) return Number(own.least < other.least);
  return own.equal / (own.equal + other.equal);
}
