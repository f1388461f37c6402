/** Arranges the values of metrics by image. */
import type { LabelledImages } from "../../datasets/data_set.ts";
import { numbersOfClass } from "../../datasets/groups.ts";
import type { MetricScore } from "./metric_score.ts";

/** A column of values: one for each image. */
interface ImageValues {
  readonly name: string;
  readonly values: Float64Array;
}

/**
 * Returns a column of `count` values for each metric that has a value for every generated image, and one for each of its
 * series, named "metric" and "metric series". Values of images that were not measured are NaN.
 *
 * @param train the training images, to number the nearest ones among all of them; a metric numbers them within their class
 */
export function valuesByImage(scores: readonly MetricScore[], count: number, train?: LabelledImages): ImageValues[] {
  const ofImages = scores.filter(({ results }) => results[0]?.result.of === "generated");
  return ofImages.flatMap(({ metric, results, images }) => {
    const names = ["", ...Object.keys(results[0].result.series)];
    return names.map((series) => {
      const values = new Float64Array(count).fill(NaN);
      results.forEach(({ label, result }, group) => {
        const measured = series ? result.series[series] : result.values;
        const numbers = train && series === "nearest" && numbersOfClass(train.labels, label, train.images.count);
        images[group].forEach((image, i) => values[image] = numbers ? numbers[measured[i]] : measured[i]);
      });
      return { name: series ? `${metric} ${series}` : metric, values };
    });
  });
}
