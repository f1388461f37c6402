/** Orders candidates by several losses at once, as NSGA-II does: Deb, Pratap, Agarwal and Meyarivan (2002). */

/** The losses of a candidate, one for each objective; smaller is better. NaN counts as the worst. */
type Losses = readonly number[];

/** Whether a candidate is no worse than another in every loss, and better in at least one. */
export function dominates(a: Losses, b: Losses): boolean {
  const x = a.map(worst), y = b.map(worst);
  return x.every((loss, o) => loss <= y[o]) && x.some((loss, o) => loss < y[o]);
}

/**
 * Sorts candidates into fronts: the first one is the Pareto front, the candidates that no other one dominates; the second is that
 * of the rest, and so on. Returns the indices of each front, ascending.
 */
export function paretoFronts(candidates: readonly Losses[]): number[][] {
  const fronts: number[][] = [];
  let rest = [...candidates.keys()];
  while (rest.length > 0) {
    const front = rest.filter((i) => !rest.some((j) => dominates(candidates[j], candidates[i])));
    fronts.push(front);
    rest = rest.filter((i) => !front.includes(i));
  }
  return fronts;
}

/**
 * Returns the indices of the best `count` candidates, ascending. Takes whole fronts while they fit. Fills up with the candidates of
 * the next front that are farthest from their neighbours, so that the chosen ones differ.
 */
export function bestOf(candidates: readonly Losses[], count: number): number[] {
  const chosen: number[] = [];
  for (const front of paretoFronts(candidates)) {
    const distance = crowdingDistances(front.map((i) => candidates[i]));
    const order = [...front.keys()].sort((a, b) => distance[b] - distance[a] || a - b);
    chosen.push(...order.slice(0, count - chosen.length).map((n) => front[n]));
    if (chosen.length >= count) break;
  }
  return chosen.sort((a, b) => a - b);
}

/** The crowding distance of each candidate of a front: the gap between its two neighbours, summed over the objectives. */
function crowdingDistances(front: readonly Losses[]): number[] {
  const distances = front.map(() => 0);
  for (const objective of front[0].keys()) {
    const loss = (i: number) => worst(front[i][objective]);
    const order = [...front.keys()].sort((a, b) => loss(a) - loss(b) || a - b);
    const range = loss(order.at(-1)!) - loss(order[0]);
    order.forEach((i, n) => {
      const isEnd = n === 0 || n === order.length - 1;
      if (isEnd) distances[i] = Infinity;
      else if (range > 0 && range < Infinity) distances[i] += (loss(order[n + 1]) - loss(order[n - 1])) / range;
    });
  }
  return distances;
}

function worst(loss: number): number {
  return Number.isNaN(loss) ? Infinity : loss;
}
