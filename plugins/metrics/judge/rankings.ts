/** The ROC curve of decisions: how often items of one class rank above those of the other. */
import { mean } from "../../../core/numbers.ts";

/** Where items rank. */
export interface Rankings {
  /** For each item the part of the other class's items of its fold that are ranked as they should be; half for a tie. */
  readonly places: Float64Array;
  /**
   * The standard error of the mean place of a class, which is the area under the curve: DeLong et al. (1988). For sets that are
   * wholly separated, theirs is 0; here it is that of Hanley and McNeil, "The Meaning and Use of the Area under a Receiver Operating
   * Characteristic (ROC) Curve" (1982), of an area that is half an item short of all.
   */
  readonly standardError: number;
}

/**
 * Ranks decisions, which should be larger for items of sign +1. Items are compared within their fold, where the decisions were
 * made by the same classifier.
 */
export function rankings(decisions: Float64Array, sign: Int8Array, fold: Uint8Array): Rankings {
  const places = decisions.map((decision, i) => {
    let right = 0;
    let others = 0;
    for (let j = 0; j < sign.length; j++) {
      if (fold[j] !== fold[i] || sign[j] === sign[i]) continue;
      const ahead = sign[i] * (decision - decisions[j]);
      right += ahead > 0 ? 1 : ahead === 0 ? 0.5 : 0;
      others++;
    }
    return right / others;
  });
  const [first, second] = [1, -1].map((own) => varianceOfMean(places.filter((_, i) => sign[i] === own)));
  const count = (own: number) => sign.filter((one) => one === own).length;
  return { places, standardError: Math.sqrt(first + second || varianceOfSeparated(count(1), count(-1))) };
}

/** The variance of the area by Hanley and McNeil (1982) where all of so many items are ranked as they should be. */
function varianceOfSeparated(first: number, second: number): number {
  const few = Math.min(first, second), area = (few + 0.5) / (few + 1);
  const one = area / (2 - area), other = 2 * area ** 2 / (1 + area);
  return (area * (1 - area) + (first - 1) * (one - area ** 2) + (second - 1) * (other - area ** 2)) / (first * second);
}

function varianceOfMean(values: Float64Array): number {
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1) / values.length;
}
