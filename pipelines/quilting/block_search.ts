/** Finds the blocks of exemplars that fit to what is placed already. */
import { areaOf } from "../../core/shape.ts";
import type { SourceMap, Window } from "./source_map.ts";

/** Pixels of a window that are compared, at the most: more hardly change which blocks are best. */
const MAX_COMPARED = 400;

/** Blocks of so many times the least misfit are not compared to the end. */
const HOPELESS = 4;

/** How many blocks to choose from. */
interface Choosing {
  /** The most blocks. */
  readonly choices: number;
  /** How many pixels they lie apart at least, along one axis. */
  readonly apart: number;
  /** So many are returned however badly they fit; the misfit of others is at most `most` times that of the last of these. */
  readonly least: number;
  readonly most: number;
}

/** Blocks, and how far each is from what is placed. */
interface Fits {
  readonly blocks: Int32Array;
  /** Sums of squares; Infinity where that is far above the least. */
  readonly misfits: Float64Array;
}

/** Which blocks of exemplars may be used; by default all. */
interface Usable {
  /** Whether a block, by its number, may be used. */
  readonly mayUse?: (block: number) => boolean;
  /** By how many pixels a block may lie from the place of the window, along each axis. */
  readonly reach?: number;
}

/** Compares the blocks of a window's size with what is placed in the window; undefined if nothing is. */
export function fitsAt(map: SourceMap, target: Window, usable: Usable = {}): Fits | undefined {
  const { colours, exemplars: { channels } } = map, compared = comparedPixels(map, target);
  if (compared.length === 0) return undefined;
  const wanted = new Float32Array(compared.length * channels);
  compared.forEach(({ source }, i) => {
    wanted.set(colours.subarray(source * channels, (source + 1) * channels), i * channels);
  });
  const offsets = Int32Array.from(compared, ({ offset }) => offset * channels);
  const blocks = blocksOf(map, target, usable), misfits = new Float64Array(blocks.length);
  let limit = Infinity;
  for (let b = 0; b < blocks.length; b++) {
    const first = blocks[b] * channels;
    let sum = 0;
    for (let i = 0, v = 0; i < offsets.length && sum <= limit; i++) {
      for (let at = first + offsets[i], end = at + channels; at < end; at++, v++) {
        const difference = colours[at] - wanted[v];
        sum += difference * difference;
      }
    }
    misfits[b] = sum <= limit ? sum : Infinity;
    limit = Math.min(limit, HOPELESS * sum);
  }
  return { blocks, misfits };
}

/** The placed pixels of a window, or some of them, evenly spread. `offset`: from the first pixel of a block. */
function comparedPixels(map: SourceMap, { y, x, height, width }: Window): { source: number; offset: number }[] {
  const placed: { source: number; offset: number }[] = [];
  for (let i = 0; i < height * width; i++) {
    const row = Math.floor(i / width), column = i % width, pixel = map.pixelAt(y + row, x + column);
    const source = pixel < 0 ? -1 : map.sources[pixel];
    if (source >= 0) placed.push({ source, offset: row * map.exemplars.width + column });
  }
  const every = Math.ceil(placed.length / MAX_COMPARED);
  return every <= 1 ? placed : placed.filter((_, i) => i % every === Math.floor(i / every / width) % every);
}

/** All blocks of a window's size. */
export function blocksOf(
  { exemplars }: SourceMap,
  target: Window,
  { mayUse = () => true, reach = Infinity }: Usable = {},
): Int32Array {
  const { count, height, width } = exemplars, area = areaOf(exemplars), blocks: number[] = [];
  const lastRow = Math.min(height - target.height, target.y + reach);
  const lastColumn = Math.min(width - target.width, target.x + reach);
  for (let image = 0; image < count; image++) {
    for (let y = Math.max(0, target.y - reach); y <= lastRow; y++) {
      for (let x = Math.max(0, target.x - reach); x <= lastColumn; x++) {
        const block = image * area + y * width + x;
        if (mayUse(block)) blocks.push(block);
      }
    }
  }
  return Int32Array.from(blocks);
}

/** Returns blocks of little misfit, the best first; of equal ones, the first. */
export function bestOf(
  { exemplars }: Pick<SourceMap, "exemplars">,
  { blocks, misfits }: Fits,
  { choices, apart, least, most }: Choosing,
): number[] {
  const { width } = exemplars, area = areaOf(exemplars), best: number[] = [];
  const isNear = (a: number, b: number) => {
    if (Math.floor(a / area) !== Math.floor(b / area)) return false;
    const rows = Math.floor(a % area / width) - Math.floor(b % area / width), columns = a % width - b % width;
    return Math.max(Math.abs(rows), Math.abs(columns)) < apart;
  };
  let limit = Infinity;
  while (best.length < choices) {
    let next = -1;
    for (let i = 0; i < blocks.length; i++) {
      if (next >= 0 && misfits[i] >= misfits[next]) continue;
      if (!best.some((other) => isNear(other, blocks[i]))) next = i;
    }
    if (next < 0 || misfits[next] > limit || best.length > 0 && misfits[next] === Infinity) break;
    best.push(blocks[next]);
    if (best.length === least) limit = most * misfits[next];
  }
  return best;
}

/** Counts how often the pixels of exemplars were taken. */
export function takenBefore(map: SourceMap) {
  const { exemplars: { count, height, width } } = map, area = height * width, wide = width + 1;
  const times = new Float64Array(count * area), sums = new Float64Array(count * (height + 1) * wide);
  let placed = 0, mean = 0;
  return {
    /** Adds how often pixels are placed in a part of the image: 1 time more, or -1 before the part changes. */
    add(part: Window, time: 1 | -1): void {
      for (let i = 0; i < areaOf(part); i++) {
        const pixel = map.pixelAt(part.y + Math.floor(i / part.width), part.x + i % part.width);
        if (pixel < 0 || map.sources[pixel] < 0) continue;
        times[map.sources[pixel]] += time;
        placed += time;
      }
    },
    /** Sums up what was added, for `timesOfMean`. */
    sumUp(): void {
      mean = placed / times.length;
      for (let row = 0; row < count * height; row++) {
        // Each exemplar's sums begin with a row of zeros.
        const above = (row + Math.floor(row / height)) * wide;
        for (let x = 0, sum = 0; x < width; x++) {
          sum += times[row * width + x];
          sums[above + wide + x + 1] = sums[above + x + 1] + sum;
        }
      }
    },
    /** How often the pixels of a block of a window's size were taken, as a multiple of the mean of all pixels. */
    timesOfMean(block: number, target: Pick<Window, "height" | "width">): number {
      const image = Math.floor(block / area), y = Math.floor(block % area / width), x = block % width;
      const top = (image * (height + 1) + y) * wide + x, end = top + target.height * wide;
      const times = sums[end + target.width] - sums[top + target.width] - sums[end] + sums[top];
      return times / areaOf(target) / mean;
    },
  };
}
