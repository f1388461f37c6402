/**
 * Warped MNIST: as many different digits as are wanted, by the rule of InfiMNIST (Loosli, Canu and Bottou, "Training Invariant
 * Support Vector Machines using Selective Sampling", 2007): image i is training image i modulo their number, turned, sheared,
 * scaled and deformed by smooth random fields that follow from i alone. The first round is the training images themselves.
 *
 * `datasets/warps.ts` draws a field for each image. Here images share 512 fields: a million images take seconds.
 */
import { pad } from "../core/pyramid.ts";
import { philox, stream } from "../core/random.ts";
import type { Images } from "../core/types.ts";
import { mix, smoothstep } from "../datasets/procedural/shading.ts";
import { resampled } from "../datasets/warps.ts";

/** Side of a warped digit: that of the profile's images. */
export const SIDE = 32;
/** How many fields there are; each image takes two. InfiMNIST has 1522: what matters is that pairs rarely meet again. */
const FIELDS = 512;
/** Side of the lattice of random numbers that a field is interpolated from: a wave of a field is as long as a stroke is wide, times three. */
const LATTICE = 6;
/** The most that a field moves a pixel, in pixels: the digits stay legible (looked at 400 of them). */
const MAX_MOVED = 2.5;
/** The most that a digit is turned, sheared and scaled: 0.15 radians are 9 degrees. */
const MAX_AFFINE = 0.15;
const SEED = 1;

/** Returns the function that writes image i, SIDE x SIDE bytes. */
export function warpedDigits(digits: Images): (i: number, out: Uint8Array) => void {
  const { count } = digits, size = { height: SIDE, width: SIDE }, area = SIDE * SIDE;
  const fields = smoothFields(), padded = new Uint8Array(area), words = new Uint32Array(4);
  const fromY = new Float64Array(area), fromX = new Float64Array(area);
  const affine = (word: number) => (word / 2 ** 32 * 2 - 1) * MAX_AFFINE;
  return (i, out) => {
    pad(digits, i % count, size, padded); // what lies beyond a digit's border is black
    if (i < count) return out.set(padded);
    philox([i >>> 0, 1, 0, 0], [SEED, 0], words);
    const a = words[0] % FIELDS * area, b = words[1] % FIELDS * area;
    philox([i >>> 0, 2, 0, 0], [SEED, 0], words);
    const [yy, yx, xy, xx] = Array.from(words, affine);
    for (let y = 0, p = 0; y < SIDE; y++) {
      const dy = y - SIDE / 2;
      for (let x = 0; x < SIDE; x++, p++) {
        const dx = x - SIDE / 2;
        fromY[p] = y + yy * dy + yx * dx + MAX_MOVED * fields[a + p];
        fromX[p] = x + xy * dy + xx * dx + MAX_MOVED * fields[b + p];
      }
    }
    out.set(resampled(padded, size, fromY, fromX));
  };
}

/** FIELDS x SIDE x SIDE numbers in [-1, 1], interpolated smoothly between random ones. */
function smoothFields(): Float32Array {
  const fields = new Float32Array(FIELDS * SIDE * SIDE),
    { next } = stream(SEED);
  for (let field = 0; field < FIELDS; field++) {
    const lattice = Float32Array.from({ length: LATTICE * LATTICE }, () => 2 * next() - 1);
    for (let p = 0; p < SIDE * SIDE; p++) {
      const y = Math.floor(p / SIDE) * (LATTICE - 1) / SIDE, x = p % SIDE * (LATTICE - 1) / SIDE;
      const at = Math.floor(y) * LATTICE + Math.floor(x),
        u = smoothstep(0, 1, x - Math.floor(x)),
        v = smoothstep(0, 1, y - Math.floor(y));
      const one = mix(lattice[at], lattice[at + 1], u), two = mix(lattice[at + LATTICE], lattice[at + LATTICE + 1], u);
      fields[field * SIDE * SIDE + p] = mix(one, two, v);
    }
  }
  return fields;
}
