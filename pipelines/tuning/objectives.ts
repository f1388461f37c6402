/** The objectives of a search: scores of metrics, each with the direction in which it is better. */
import { suggestion } from "../../core/suggestion.ts";
import type { Registry } from "../../core/registry.ts";
import type { MetricScore } from "../assessment/metric_score.ts";
import { isDifference, pairedDifference } from "../assessment/paired.ts";

/** A score to improve. */
export interface Objective {
  /** A name such as "judge" or "originality.least". */
  readonly name: string;
  readonly metric: string;
  /** The score itself, or the least or the greatest value of an image. */
  readonly part: "score" | "least" | "greatest";
  /** "like": as near as possible to the same score of held-out images. */
  readonly better: "higher" | "lower" | "like";
}

/** Metrics for which higher or lower is better. For any other, such as contrast, the score of held-out images is best. */
const BETTER: Readonly<Record<string, Objective["better"]>> = {
  likelihood: "higher",
  originality: "higher",
  spread: "lower",
  judge: "lower",
  "closest-correlation": "lower",
  structure: "lower",
  precision: "higher",
  recall: "higher",
  coverage: "higher",
  "label-accuracy": "higher",
};

/**
 * Reads the name of an objective: that of a metric, with ".least" or ".greatest" for the least or the greatest value of an image.
 *
 * @throws {Error} if there is no such metric, or no such value
 */
export function readObjective(name: string, { plugins }: Registry): Objective {
  const [metric, part = "score", ...more] = name.split("."), parts = ["score", "least", "greatest"] as const;
  const metrics = plugins.filter(({ kind }) => kind === "metric").map((plugin) => plugin.name);
  if (!metrics.includes(metric)) {
    throw new Error(`Cannot use objective "${name}": there is no metric "${metric}"${suggestion(metric, metrics)}`);
  }
  const known = parts.find((one) => one === part);
  if (!known || more.length > 0) {
    throw new Error(`Cannot use objective "${name}": expected ${metric}, ${metric}.least or ${metric}.greatest`);
  }
  return { name, metric, part: known, better: Object.hasOwn(BETTER, metric) ? BETTER[metric] : "like" };
}

/** Returns the value of an objective among the scores of some images. */
export function valueOf({ metric, part }: Objective, scores: readonly MetricScore[]): number {
  const { score, range: [least, greatest] } = scores.find((one) => one.metric === metric)!;
  return { score, least, greatest }[part];
}

/** Returns the 95 % interval of an objective; NaN where there is none, as of the value of one image. */
export function intervalOf(
  { metric, part }: Objective,
  scores: readonly MetricScore[],
): readonly [low: number, high: number] {
  return part === "score" ? scores.find((one) => one.metric === metric)!.interval : [NaN, NaN];
}

/**
 * Returns whether an objective of two sets of images that were made from the same seed images differs by more than chance explains;
 * false where there is no interval.
 */
export function differs(
  { metric, part }: Objective,
  scores: readonly MetricScore[],
  others: readonly MetricScore[],
): boolean {
  const [one, other] = [scores, others].map((some) => some.find((score) => score.metric === metric)!);
  return part === "score" && isDifference(pairedDifference(one, other));
}

/** Returns how far a value is from the best one; smaller is better. `heldOut` is that of held-out images. */
export function lossOf({ better }: Objective, value: number, heldOut: number): number {
  return { higher: -value, lower: value, like: Math.abs(value - heldOut) }[better];
}
