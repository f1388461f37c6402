/** Masks, sets of values of an image, as what each of them adds to an earlier one and takes from it. */

/** Earlier masks that one is compared with: with the values of an image row by row, some rows of masks. */
const COMPARED = 128;

/**
 * Writes masks as the kernel `maskedDistances` reads them: u32 1 + the number of the earlier mask that is nearest, 0 for the empty
 * one; how many values are added to it, and how many are taken from it; their numbers, ascending.
 *
 * @param masks for each value the values of its mask: 1 or 0, `values` x `values`
 */
export function maskChanges(masks: Uint8Array, values: number): Uint32Array {
  const bits = asBits(masks, values), words = Math.ceil(values / 32);
  const empty = new Uint32Array(words);
  const bitsOf = (mask: number) => mask < 0 ? empty : bits.subarray(mask * words, (mask + 1) * words);
  const has = (mask: number, q: number) => mask >= 0 && masks[mask * values + q] === 1;
  const changes: number[] = [];
  for (let p = 0; p < values; p++) {
    let base = -1;
    let least = differences(bitsOf(p), empty);
    for (let earlier = Math.max(0, p - COMPARED); earlier < p; earlier++) {
      const different = differences(bitsOf(p), bitsOf(earlier));
      if (different >= least) continue;
      least = different;
      base = earlier;
    }
    const added: number[] = [], taken: number[] = [];
    for (let q = 0; q < values; q++) {
      if (has(p, q) && !has(base, q)) added.push(q);
      if (has(base, q) && !has(p, q)) taken.push(q);
    }
    changes.push(base + 1, added.length, taken.length, ...added, ...taken);
  }
  return Uint32Array.from(changes);
}

/** The most words that `maskChanges` returns: each mask has at most all values. */
export function mostChanges(values: number): number {
  return values * (3 + values);
}

/** Masks with 32 values in a word. */
function asBits(masks: Uint8Array, values: number): Uint32Array {
  const words = Math.ceil(values / 32), bits = new Uint32Array(values * words);
  for (let p = 0; p < values; p++) {
    for (let q = 0; q < values; q++) {
      if (masks[p * values + q] === 1) bits[p * words + (q >> 5)] |= 1 << (q & 31);
    }
  }
  return bits;
}

/** How many bits of two sets differ. */
function differences(a: Uint32Array, b: Uint32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    let word = a[i] ^ b[i];
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    sum += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return sum;
}
