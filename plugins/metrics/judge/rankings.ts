/** The ROC curve of decisions: how often items of one class rank above those of the other. */

/** Where items rank. */
export interface Rankings {
  /** For each item the part of the other class's items of its fold that are ranked as they should be; half for a tie. */
  readonly places: Float64Array;
  /** The standard error of the mean place of a class, which is the area under the curve: DeLong et al. (1988). */
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
  return { places, standardError: Math.sqrt(first + second) };
}

function varianceOfMean(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1) / values.length;
}
