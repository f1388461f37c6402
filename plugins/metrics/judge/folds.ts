/** The folds of a cross-validation in which near twins stay together. */

/** Folds of the cross-validation. */
export const FOLDS = 5;

/**
 * Assigns items of two classes to folds. Each item is paired with its nearest free item, the nearest pairs first, and a pair
 * goes to one fold. A synthesized image and the real one whose seed image it was made from are near twins: if the classifier
 * learned from one, it would take the other for the same class, and the score would be far below 0.5. Pairs are made without
 * regard to the classes, since pairs of unlike classes alone would leave more neighbours of an item's own class to learn from
 * (0.56 in place of 0.50 on two random samples of 100 faces).
 *
 * With 10 items of each class or more, every fold holds items of both.
 *
 * @param squared distances of all pairs of items, row by row
 * @param sign +1 or -1 for each item: its class
 * @returns a number below `FOLDS` for each item
 */
export function foldsOfPairs(squared: Float64Array, sign: Int8Array): Uint8Array {
  const count = sign.length;
  const free = new Set(sign.keys());
  const nearest = (i: number): { item: number; distance: number } => {
    let item = i;
    let distance = Infinity;
    for (const j of free) {
      if (j === i || squared[i * count + j] >= distance) continue;
      distance = squared[i * count + j];
      item = j;
    }
    return { item, distance };
  };
  const distances = Array.from(sign, (_, i) => nearest(i).distance);
  const pairs: [number, number][] = [];
  for (const i of [...sign.keys()].sort((a, b) => distances[a] - distances[b] || a - b)) {
    if (!free.has(i)) continue;
    const { item } = nearest(i);
    free.delete(i);
    free.delete(item);
    pairs.push([i, item]);
  }
  const fold = new Uint8Array(count);
  const mixed = pairs.filter(([i, j]) => sign[i] !== sign[j]);
  const deal = (those: readonly [number, number][], first: number) =>
    those.forEach(([i, j], n) => fold[i] = fold[j] = (first + n) % FOLDS);
  deal(mixed, 0);
  // Pairs of one class begin in the fold where the mixed ones end, so that no fold lacks a class.
  for (const own of [1, -1]) deal(pairs.filter(([i, j]) => sign[i] === own && sign[j] === own), mixed.length);
  return fold;
}
