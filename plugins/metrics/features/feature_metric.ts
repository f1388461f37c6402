/** Defines measures of sets of features: what they have in common is here. */
import { borrowing } from "../../../core/kernels.ts";
import { definePlugin } from "../../../core/plugin.ts";
import type { MetricInput } from "../../../core/metric.ts";
import type { Rows } from "../../../core/types.ts";
import { requireImages } from "../metric_input.ts";
import { FEATURE_OPTIONS, type Features, featuresOf } from "./features.ts";
import { setResult, type SetScore } from "./set_result.ts";

/** What a measure of features gets: the images, and their features. */
export interface FeatureInput extends MetricInput {
  /** Computes the features of at most as many images of a set as the option `most` says: one row an image. */
  featuresOf(set: Rows): Rows;
}

/** A measure of features that can be computed. */
export interface FeatureMeasure {
  /** How many images of each set are compared: `settings` of the result. With fewer than 10 of one there is no score. */
  readonly counts: { readonly count: number; readonly training?: number; readonly heldOut?: number };
  score(): SetScore;
}

/** Defines a metric that compares sets of features. */
export function featureMetric<Name extends string>(
  { name, about, measure }: {
    readonly name: Name;
    readonly about: string;
    measure(input: FeatureInput): FeatureMeasure;
  },
) {
  return definePlugin({
    api: 1,
    kind: "metric",
    name,
    about,
    options: FEATURE_OPTIONS,
    create: ({ features, most }) => ({
      separable: false,
      measure: (input) => {
        return borrowing(input.kernels, () => {
          requireImages(name, input);
          const { kernels } = input;
          const { counts, score } = measure({
            ...input,
            featuresOf: (set) => featuresOf(kernels, set, features as Features, most),
          });
          return setResult(name, input, { features, ...counts }, Object.values(counts), score);
        });
      },
    }),
  });
}
