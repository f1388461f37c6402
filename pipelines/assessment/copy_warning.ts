/** Says in words that assessed images are copies: likelihood and judge score a copy well, and the table alone does not show why. */
import { counted } from "../../core/counted.ts";
import { NEAR } from "../run/near_copies.ts";
import type { MetricScore } from "./metric_score.ts";

/** The metric whose values tell. */
const ORIGINALITY = "originality";

/**
 * Adds a warning to the originality of images if some of them are near copies, with as many of the held-out ones as are as near.
 *
 * @param heldOut the same scores of held-out images, if there are any
 */
export function withCopyWarning(
  scores: readonly MetricScore[],
  heldOut: readonly MetricScore[] = [],
): readonly MetricScore[] {
  const known = valuesOf(heldOut);
  const beside = known.length > 0 ? `; held-out images: ${nearOf(known).length} of ${known.length}` : "";
  return scores.map((one) => {
    const values = valuesOf([one]), near = nearOf(values);
    if (near.length === 0) return one;
    const who = `${near.length} of ${counted(values.length, "image")} ${near.length === 1 ? "is" : "are"}`;
    const least = near.reduce((a, b) => Math.min(a, b)).toFixed(2);
    const warning = `${who} much nearer to a training image than training images are to each other (least ${least}` +
      `${beside}): likelihood and judge favour copies`;
    return { ...one, warnings: [warning, ...one.warnings] };
  });
}

/** The originality of all images, where it is known. */
function valuesOf(scores: readonly MetricScore[]): number[] {
  const results = scores.filter(({ metric }) => metric === ORIGINALITY).flatMap(({ results }) => results);
  return results.flatMap(({ result }) => [...result.values]).filter((value) => !Number.isNaN(value));
}

function nearOf(values: readonly number[]): number[] {
  return values.filter((value) => value < NEAR);
}
