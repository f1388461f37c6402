/** Which images are copies: those that are nearer to training images than any held-out image is. */
import type { MetricScore } from "../assessment/metric_score.ts";
import { structureLimit } from "../run/near_copies.ts";
import { type Estimate, proportion, quantile, type Summary, summaryOf } from "./statistics.ts";

/** How near images stand to training images by one measure, beside held-out images. */
export interface Nearness {
  readonly by: "originality" | "structure" | "moved structure";
  readonly assessed: Summary;
  readonly heldOut: Summary;
  /** Images beyond this value are copies. */
  readonly limit: number;
  /** The numbers of the images that are copies. */
  readonly copies: readonly number[];
  /** Of structure: the part of the images that share more than all but 5 % of the held-out images do. */
  readonly raised?: Estimate;
  /** How many held-out images are copies themselves, as duplicates in a data set are. They do not move the limit. */
  readonly duplicates: number;
}

/** An image below this part of the held-out images' least originality is a copy by distance. */
const COPIED = 0.5;
/** A held-out image is a duplicate of a training image below this originality, and above this structure. */
const DUPLICATE = { originality: 0.05, structure: 0.98 };

/**
 * The originality below which images are copies, and how many of the held-out images are duplicates of training images.
 *
 * @param heldOut the originality of held-out images
 * @returns the limit is NaN where no held-out image is distinct: then nothing is below it
 */
export function originalityLimit(heldOut: Float64Array): { readonly limit: number; readonly duplicates: number } {
  const distinct = heldOut.filter((value) => value >= DUPLICATE.originality);
  return { limit: COPIED * quantile(distinct, 0), duplicates: heldOut.length - distinct.length };
}

/** How near images stand by distance: below half of the held-out images' least originality they are copies. */
export function originalityOf(score: MetricScore, heldOut: MetricScore): Nearness {
  const { limit, duplicates } = originalityLimit(valuesOf(heldOut));
  return {
    by: "originality",
    ...summaries(score, heldOut),
    limit,
    copies: numbersOf(score, (value) => value < limit),
    duplicates,
  };
}

/** How near images stand by structure: above the held-out images' greatest by more than 0.1, or half of what is left to 1. */
export function structureOf(by: Nearness["by"], score: MetricScore, heldOut: MetricScore): Nearness {
  const others = valuesOf(heldOut), distinct = others.filter((value) => value <= DUPLICATE.structure);
  const limit = structureLimit(quantile(distinct, 1));
  return {
    by,
    ...summaries(score, heldOut),
    limit,
    raised: raisedPart(valuesOf(score), others),
    copies: numbersOf(score, (value) => value > limit),
    duplicates: others.length - distinct.length,
  };
}

/** The part of values above the others' quantile of 0.95. */
function raisedPart(values: Float64Array, others: Float64Array): Estimate {
  const most = quantile(others, 0.95);
  return proportion(values.filter((value) => value > most).length, values.length);
}

/** The numbers of the images whose value is that of a copy, ascending. */
function numbersOf({ results, images }: MetricScore, isCopy: (value: number) => boolean): number[] {
  return results.flatMap(({ result }, c) => [...images[c]].filter((_, i) => isCopy(result.values[i])))
    .sort((a, b) => a - b);
}

function summaries(score: MetricScore, heldOut: MetricScore) {
  return { assessed: summaryOf(valuesOf(score)), heldOut: summaryOf(valuesOf(heldOut)) };
}

/** The values of all classes, without those that are NaN. */
export function valuesOf({ results }: MetricScore): Float64Array {
  return known(Float64Array.from(results.flatMap(({ result }) => [...result.values])));
}

/** Values without those that are NaN. */
export function known(values: Float64Array): Float64Array {
  return values.filter((value) => !Number.isNaN(value));
}
