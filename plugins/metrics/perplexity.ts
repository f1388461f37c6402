/** Terms below e^-40 times the largest do not change a sum of doubles. */
export const CUT = 40;

/**
 * 1 / (2 sigma_i^2) of equation (tsne weight) such that the weights' entropy is that of `perplexity` equal ones: the search
 * of t-SNE, for every metric that weighs neighbours. `sorted` are the squared distances to them, the least first.
 *
 * If no precision gives that entropy, it returns the one that comes nearest: about 2^100, which leaves weight to the nearest
 * alone, if more than `perplexity` neighbours are equally near; about 0, equal weights, if there are fewer neighbours.
 */
export function precisionFor(sorted: Float64Array, perplexity: number): number {
  const entropy = Math.log(perplexity);
  let low = 0;
  let high = Infinity;
  let beta = 1;
  for (let step = 0; step < 100; step++) {
    let sum = 0;
    let moment = 0;
    for (let j = 0; j < sorted.length; j++) {
      const exponent = beta * (sorted[j] - sorted[0]);
      if (exponent > CUT) break;
      const weight = Math.exp(-exponent);
      sum += weight;
      moment += weight * exponent;
    }
    const difference = Math.log(sum) + moment / sum - entropy;
    if (Math.abs(difference) < 1e-7) break;
    if (difference > 0) {
      low = beta;
      beta = high === Infinity ? beta * 2 : (beta + high) / 2;
    } else {
      high = beta;
      beta = (low + beta) / 2;
    }
  }
  return beta;
}
