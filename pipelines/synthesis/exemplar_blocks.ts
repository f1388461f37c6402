/** Blocks of exemplars, named by the index of the first value of their first channel, and how well they fit. */
import { areaOf, lengthOf } from "../../core/shape.ts";
import type { Exemplars } from "../quilting/exemplars.ts";

/** Returns the position of every block of the exemplars: the index of the first value of its first channel. */
export function anywhere(exemplars: Exemplars, side: number): number[] {
  const { count, height, width } = exemplars, found: number[] = [];
  for (let image = 0; image < count; image++) {
    for (let y = 0; y + side <= height; y++) {
      for (let x = 0; x + side <= width; x++) found.push(image * lengthOf(exemplars) + y * width + x);
    }
  }
  return found;
}

/** How far a block is from what is placed already. @param shared pairs of pixels, in a block and in `out` */
export function misfitOf(
  values: Float32Array,
  out: Float32Array,
  shared: readonly number[],
): (block: number) => number {
  return (block) => {
    let sum = 0;
    for (let p = 0; p < shared.length; p += 2) {
      const difference = values[block + shared[p]] - out[shared[p + 1]];
      sum += difference * difference;
    }
    return sum;
  };
}

/** How many blocks to choose from. */
export interface Choosing {
  /** The most blocks. */
  readonly choices: number;
  /** How many pixels they lie apart at least, along one axis. */
  readonly apart: number;
  /** So many are returned however badly they fit; the misfit of others is at most `most` times that of the last of these. */
  readonly least: number;
  readonly most: number;
}

/** Returns the positions of blocks of little misfit, the best first; of equal ones, the first. */
export function bestBlocks(
  exemplars: Exemplars,
  side: number,
  misfit: (block: number) => number,
  { choices, apart, least, most }: Choosing,
): number[] {
  const length = lengthOf(exemplars), { width } = exemplars, found: number[] = [];
  const blocks = anywhere(exemplars, side);
  const sums = Float64Array.from(blocks, misfit);
  const isNear = (a: number, b: number) => {
    if (Math.floor(a / length) !== Math.floor(b / length)) return false;
    const rows = Math.floor(a % length / width) - Math.floor(b % length / width), columns = a % width - b % width;
    return Math.max(Math.abs(rows), Math.abs(columns)) < apart;
  };
  let limit = Infinity;
  while (found.length < choices) {
    let next = -1;
    for (let i = 0; i < blocks.length; i++) {
      if (next >= 0 && sums[i] >= sums[next]) continue;
      if (!found.some((other) => isNear(other, blocks[i]))) next = i;
    }
    if (next < 0 || sums[next] > limit) break;
    found.push(blocks[next]);
    if (found.length === least) limit = most * sums[next];
  }
  return found;
}

/** Remembers which pixels of the exemplars were taken. */
export function takenBefore(exemplars: Exemplars, side: number) {
  const { count, height, width } = exemplars, length = lengthOf(exemplars), area = areaOf(exemplars);
  const times = new Float64Array(count * area), wide = width + 1, sums = new Float64Array(count * (height + 1) * wide);
  return {
    /** @param sources the indices of the pixels' first values */
    take(sources: readonly number[]) {
      for (const source of sources) times[Math.floor(source / length) * area + source % length]++;
    },
    /** Returns how often the pixels of a block were taken, on the average. */
    part(): (block: number) => number {
      for (let row = 0; row < count * height; row++) {
        // Each exemplar's sums begin with a row of zeros.
        const above = (row + Math.floor(row / height)) * wide;
        for (let x = 0, sum = 0; x < width; x++) {
          sum += times[row * width + x];
          sums[above + wide + x + 1] = sums[above + x + 1] + sum;
        }
      }
      return (block) => {
        const image = Math.floor(block / length), y = Math.floor(block % length / width), x = block % width;
        const top = (image * (height + 1) + y) * wide + x, end = top + side * wide;
        return (sums[end + side] - sums[top + side] - sums[end] + sums[top]) / (side * side);
      };
    },
  };
}
