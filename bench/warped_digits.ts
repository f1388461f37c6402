/**
 * Warped MNIST: as many different digits as are wanted, by the rule of InfiMNIST (Loosli, Canu and Bottou, "Training Invariant
 * Support Vector Machines using Selective Sampling", 2007): image i is training image i modulo their number, turned, sheared,
 * scaled and deformed by smooth random fields that follow from i alone. The first round is the training images themselves.
 */
import { margin } from "../core/pyramid.ts";
import { philox, stream } from "../core/random.ts";
import type { Images } from "../core/types.ts";
import { mix } from "../datasets/procedural/shading.ts";

/** Side of a warped digit: that of the profile's images. */
export const SIDE = 32;
/** How many fields there are; each image takes two. InfiMNIST has 1522: what matters is that pairs rarely meet again. */
const FIELDS = 512;
/** Side of the lattice of random numbers that a field is interpolated from: a wave of a field is as long as a stroke is wide, times three. */
const LATTICE = 6;
/** The most that a field moves a pixel, in pixels: the digits stay legible (looked at 400 of them). */
const MOST_MOVED = 2.5;
/** The most that a digit is turned, sheared and scaled: 0.15 radians are 9 degrees. */
const MOST_AFFINE = 0.15;
const SEED = 1;

/** Returns the function that writes image i, SIDE x SIDE bytes. */
export function warpedDigits(digits: Images): (i: number, out: Uint8Array) => void {
  const { height, width, pixels, count } = digits, area = SIDE * SIDE, words = new Uint32Array(4);
  const { top, left } = margin(digits, { height: SIDE, width: SIDE }), fields = smoothFields();
  const affine = (word: number) => (word / 2 ** 32 * 2 - 1) * MOST_AFFINE;
  return (i, out) => {
    const first = (i % count) * height * width, isWarped = i >= count;
    philox([i >>> 0, 1, 0, 0], [SEED, 0], words);
    const a = words[0] % FIELDS * area, b = words[1] % FIELDS * area;
    philox([i >>> 0, 2, 0, 0], [SEED, 0], words);
    const [yy, yx, xy, xx] = Array.from(words, (word) => isWarped ? affine(word) : 0),
      moved = isWarped ? MOST_MOVED : 0;
    for (let y = 0, p = 0; y < SIDE; y++) {
      const dy = y - SIDE / 2;
      for (let x = 0; x < SIDE; x++, p++) {
        const dx = x - SIDE / 2;
        const fromY = y + yy * dy + yx * dx + moved * fields[a + p] - top;
        const fromX = x + xy * dy + xx * dx + moved * fields[b + p] - left;
        const row = Math.floor(fromY), column = Math.floor(fromX);
        if (row < -1 || column < -1 || row >= height || column >= width) {
          out[p] = 0;
          continue;
        }
        const at = first + row * width + column, u = fromX - column;
        const above = row >= 0, below = row + 1 < height, before = column >= 0, behind = column + 1 < width;
        const one = mix(above && before ? pixels[at] : 0, above && behind ? pixels[at + 1] : 0, u);
        const two = mix(below && before ? pixels[at + width] : 0, below && behind ? pixels[at + width + 1] : 0, u);
        out[p] = Math.floor(mix(one, two, fromY - row) + 0.5);
      }
    }
  };
}

/** FIELDS x SIDE x SIDE numbers in [-1, 1], interpolated smoothly between random ones. */
function smoothFields(): Float32Array {
  const fields = new Float32Array(FIELDS * SIDE * SIDE),
    { next } = stream(SEED),
    smooth = (t: number) => t * t * (3 - 2 * t);
  for (let field = 0; field < FIELDS; field++) {
    const lattice = Float32Array.from({ length: LATTICE * LATTICE }, () => 2 * next() - 1);
    for (let p = 0; p < SIDE * SIDE; p++) {
      const y = Math.floor(p / SIDE) * (LATTICE - 1) / SIDE, x = p % SIDE * (LATTICE - 1) / SIDE;
      const at = Math.floor(y) * LATTICE + Math.floor(x), u = smooth(x - Math.floor(x)), v = smooth(y - Math.floor(y));
      const one = mix(lattice[at], lattice[at + 1], u), two = mix(lattice[at + LATTICE], lattice[at + LATTICE + 1], u);
      fields[field * SIDE * SIDE + p] = mix(one, two, v);
    }
  }
  return fields;
}
