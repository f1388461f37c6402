/** Arranges the values of metrics by image. */
import type { MetricScore } from "./metric_score.ts";

/**
 * Returns a column of `count` values for each metric that has a value for every generated image, and one for each of its
 * series, named "metric" and "metric series". Values of images that were not measured are NaN.
 */
export function valuesByImage(
  scores: readonly MetricScore[],
  count: number,
): { name: string; values: Float64Array }[] {
  return scores.filter(({ results }) => results[0]?.result.of === "generated").flatMap(
    ({ metric, results, images }) => {
      const names = ["", ...Object.keys(results[0].result.series)];
      return names.map((series) => {
        const values = new Float64Array(count).fill(NaN);
        results.forEach(({ result }, group) => {
          const measured = series ? result.series[series] : result.values;
          images[group].forEach((image, i) => values[image] = measured[i]);
        });
        return { name: series ? `${metric} ${series}` : metric, values };
      });
    },
  );
}
