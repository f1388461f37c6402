import { counted } from "../../core/counted.ts";
import { definePlugin } from "../../core/plugin.ts";
import type { MetricInput, MetricResult } from "../../core/metric.ts";
import { requireImages } from "./metric_input.ts";

/**
 * The share of an image that its largest contributor gives: the part of its pixels that were taken from one training image, as the
 * record of its synthesis says. Pixels cannot show it, so images of other systems have none. Each channel counts alike.
 *
 * In [0, 1]; near 0: a mosaic of many training images; 1: all of it is one of them, perhaps in another light. The mean hides single
 * copies: read the greatest value beside it. Held-out images come from no training image, so there is nothing to compare with.
 */
export const share = definePlugin({
  api: 1,
  kind: "metric",
  name: "share",
  about: "part of an image that comes from one training image, of synth's images only; 1: all of it",
  options: {},
  create: () => ({ separable: true, measure }),
});

function measure(input: MetricInput): MetricResult {
  requireImages("share", input);
  const { generated: { count }, shares } = input;
  const values = shares?.slice() ?? new Float64Array(count).fill(NaN);
  const unknown = values.filter(Number.isNaN).length;
  const isUnknown = unknown === count;
  return {
    values,
    of: "generated",
    series: {},
    settings: {},
    warnings: unknown > 0
      ? [`${counted(unknown, "image has", "images have")} no record of the training images that were used`]
      : [],
    ...isUnknown && { tooFew: "the images have no record of what they were made of: a folder of synth has one" },
  };
}
