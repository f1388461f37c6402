/**
 * Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as
 * 1, 2, 3", SC 2011). A number is a pure function of its key and counter, so that the order of calls does not
 * matter: batch size, threads and sharding cannot change a result. `assembly/random.ts` is the same generator.
 */

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;
const ROUNDS = 10;

/** High 32 bits of the unsigned product a * b. */
function mulHigh(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const low = a0 * b0;
  const middle = a1 * b0 + (low >>> 16); // < 2^32, exact in a double
  const middle2 = a0 * b1 + (middle % 0x10000);
  return (a1 * b1 + Math.floor(middle / 0x10000) + Math.floor(middle2 / 0x10000)) >>> 0;
}

/** Writes one Philox4x32-10 block, the 128 random bits of a 128-bit counter and a 64-bit key, to `out[0..3]`. Returns `out`. */
export function philox(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
  out: Uint32Array,
): Uint32Array {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = mulHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0) >>> 0;
    const high1 = mulHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2) >>> 0;
    c0 = (high1 ^ c1 ^ k0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ k1) >>> 0;
    c3 = low0;
    k0 = (k0 + WEYL_0) >>> 0;
    k1 = (k1 + WEYL_1) >>> 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
  return out;
}

/** Makes a uniform number in [0, 1) with 53 random bits from two random words. */
export function toUniform(high: number, low: number): number {
  return (high * 0x200000 + (low >>> 11)) * 2 ** -53;
}

/** The two key words of a seed, which is any safe non-negative integer: low, high. */
export function seedKey(seed: number): [number, number] {
  return [seed >>> 0, Math.floor(seed / 0x100000000) >>> 0];
}

/** A stream of uniform numbers in [0, 1): the last word of the counter runs, the others name the stream. */
export interface Stream {
  /** The next number in [0, 1). */
  next(): number;
}

/**
 * Opens the stream that a seed and up to three words name. The words say first what the numbers are for, then which item.
 * Streams of different names are independent.
 */
export function stream(seed: number, a = 0, b = 0, c = 0): Stream {
  const key = seedKey(seed);
  const words = new Uint32Array(4);
  let index = 0;
  return {
    next() {
      if (index % 2 === 0) philox([a >>> 0, b >>> 0, c >>> 0, index >>> 1], key, words);
      return index++ % 2 === 0 ? toUniform(words[0], words[1]) : toUniform(words[2], words[3]);
    },
  };
}
