/**
 * Quilts seed images for textures, which have no test images, from the coarsest level of the exemplars (Efros and Freeman, "Image
 * Quilting for Texture Synthesis and Transfer", 2001). Blocks are placed row by row; each is drawn from the few that fit best to
 * the pixels that are already placed. The layers above remove the seams.
 */
import { type Stream, stream } from "../../core/random.ts";
import { areaOf, lengthOf, type Size } from "../../core/shape.ts";
import type { Tile } from "../../core/tiling.ts";
import { boundaryCut } from "./boundary_cut.ts";
import type { Exemplars } from "./exemplars.ts";
import { structureLength } from "./structure_length.ts";

/** The least side of a block in pixels of the coarsest level: four times that in a result of two layers. */
const LEAST_BLOCK = 16;
/** Sides of a block in lengths of the exemplars' structure: with one structure and a half, one lies in most blocks as a whole. */
const STRUCTURES = 1.5;
/** A block has at most this part of an exemplar's side: of a larger one there would be few to choose from. */
const MOST_PART = 0.5, MOST_AROUND = 0.6;
/** A block is drawn from this many that fit best. From only one, each block would continue the last one as the exemplar does. */
const CHOICES = 3;
/**
 * They lie this part of a side apart: else they would be one block and its neighbours, which are a few pixels of the result off. And
 * none fits worse than the second by more than this factor: the third of a weave broke its pattern.
 */
const APART = 0.25, MOST_MISFIT = 1.25;
/**
 * Of so many quilts, that whose blocks differ least along their boundaries is taken. Of 24 quilts of each of twenty exemplars, that
 * of four differed 8 % less than one, of eight 10 %, of all 14 %.
 */
const ATTEMPTS = 4;
/**
 * What was taken before counts against a block: taken once as a whole, its misfit is counted `1 + TAKEN` times. That of exemplars of at
 * least `ROOMY` times the area of the image counts more: the part of a quilt that lies twice in it fell from 0.57 to 0.35 in eight
 * with 1.5 to 3.5 times the area, and from 0.23 to 0.08 in nine with more, for a misfit 6 and 2 % higher. In smaller ones nearly all
 * must be taken twice, but without it some blocks are taken again and again: a wall of flagstones was made of two stones. With 1
 * and 0.3 there, berries were cut and weaves broken.
 */
const ROOMY = 1.5, TAKEN = { roomy: 1, small: 0.15 };
/** Keys the random numbers that choose blocks. */
const QUILT_STREAM = 0x7175696c;

/**
 * Quilts seed image number `image` under a random seed, of any size, in the exemplars' channels. In the directions of `tile` the
 * last blocks continue at the other edge and are chosen to fit there, too.
 */
export function quilt(exemplars: Exemplars, size: Size, seed: number, image: number, tile?: Tile): Float32Array {
  const pieces = layout(exemplars, size, tile);
  let best: Quilted | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const made = quiltOnce(exemplars, size, pieces, stream(seed, QUILT_STREAM, image, attempt));
    if (!best || made.error < best.error) best = made;
  }
  return best!.out;
}

/** Where the blocks of a seed image lie. */
interface Layout {
  /** Side of a block. */
  readonly side: number;
  readonly rows: readonly Span[];
  readonly columns: readonly Span[];
}

function layout(exemplars: Exemplars, size: Size, tile: Tile | undefined): Layout {
  const aroundX = tile === "x" || tile === "both", aroundY = tile === "y" || tile === "both";
  // Where the last block must fit on all sides, there must be blocks to choose from.
  const inside = Math.min(exemplars.height, exemplars.width) * (tile ? MOST_AROUND : 1);
  const most = Math.min(inside, aroundX ? size.width : Infinity, aroundY ? size.height : Infinity);
  const side = Math.max(1, Math.floor(Math.min(blockSide(exemplars), most))), overlap = Math.floor(side / 3);
  return {
    side,
    rows: spans(size.height, side, overlap, aroundY),
    columns: spans(size.width, side, overlap, aroundX),
  };
}

/** A seed image, and the sum of the squared differences along the boundaries of its blocks. */
interface Quilted {
  readonly out: Float32Array;
  readonly error: number;
}

function quiltOnce(exemplars: Exemplars, size: Size, { side, rows, columns }: Layout, random: Stream): Quilted {
  const { channels, height, width, values } = exemplars, area = areaOf(size), out = new Float32Array(channels * area);
  const before = takenBefore(exemplars, side);
  const isRoomy = exemplars.count * areaOf(exemplars) >= ROOMY * area, weight = isRoomy ? TAKEN.roomy : TAKEN.small;
  let error = 0;
  for (const down of rows) {
    for (const across of columns) {
      // Pixels of the block, as pairs of their numbers in the exemplars, from the block's first pixel on, and in `out`.
      const pair = (channel: number, y: number, x: number): [from: number, to: number] => [
        (channel * height + y) * width + x,
        channel * area + (down.start + y) % size.height * size.width + (across.start + x) % size.width,
      ];
      const pairs = (is: (y: number, x: number) => boolean) => {
        const found: number[] = [];
        for (let channel = 0; channel < channels; channel++) {
          for (let y = 0; y < down.length; y++) {
            for (let x = 0; x < across.length; x++) if (is(y, x)) found.push(...pair(channel, y, x));
          }
        }
        return found;
      };
      const shared = pairs((y, x) => isShared(down, y) || isShared(across, x));
      const misfit = misfitOf(values, out, shared), takenPart = before.part();
      // On opposite sides few fit, and those do not continue the last block: the best is taken.
      const choices = down.after > 0 || across.after > 0 ? 1 : CHOICES;
      const found = shared.length === 0
        ? anywhere(exemplars, side)
        : best(exemplars, side, (block) => misfit(block) * (1 + weight * takenPart(block)), {
          choices,
          apart: Math.ceil(side * APART),
          most: MOST_MISFIT,
        });
      const block = found[Math.floor(random.next() * found.length)];
      const boundary = boundaryOf(down, across, (y, x) => {
        let sum = 0;
        for (let channel = 0; channel < channels; channel++) {
          const [from, to] = pair(channel, y, x);
          sum += (values[block + from] - out[to]) ** 2;
        }
        return sum;
      });
      const taken = pairs(boundary.isInside);
      for (let p = 0; p < taken.length; p += 2) out[taken[p + 1]] = values[block + taken[p]];
      before.take(block, taken);
      error += boundary.error;
    }
  }
  return { out, error };
}

/**
 * Finds the boundary of a block: on each side on which it overlaps others, the path of least error through the overlap.
 *
 * @param errorAt how much the block differs at one of its pixels from what is placed there
 */
function boundaryOf(
  down: Span,
  across: Span,
  errorAt: (y: number, x: number) => number,
): { isInside: (y: number, x: number) => boolean; error: number } {
  const cut = (lines: number, depth: number, at: (line: number, x: number) => number) => {
    return depth > 0 ? boundaryCut(lines, depth, at) : undefined;
  };
  const bottom = down.length - 1, right = across.length - 1;
  const left = cut(down.length, Math.min(across.before, across.length), errorAt);
  const above = cut(across.length, Math.min(down.before, down.length), (x, y) => errorAt(y, x));
  const after = cut(down.length, Math.min(across.after, across.length), (y, x) => errorAt(y, right - x));
  const below = cut(across.length, Math.min(down.after, down.length), (x, y) => errorAt(bottom - y, x));
  return {
    isInside: (y, x) =>
      x >= (left?.before[y] ?? 0) && right - x >= (after?.before[y] ?? 0) &&
      y >= (above?.before[x] ?? 0) && bottom - y >= (below?.before[x] ?? 0),
    error: [left, above, after, below].reduce((sum, side) => sum + (side?.error ?? 0), 0),
  };
}

/**
 * Side of the blocks that fill holes, in pixels of the coarsest level. Looked at on stones and bricks in holes of 60 pixels: with 8 and
 * 16, or where a block overlaps half of what is known, stones were blurred and rows of bricks did not go on.
 */
const FILLING = 12;

/**
 * Fills the missing pixels of a seed image with blocks of the exemplars, each drawn from the few that fit best to the pixels around.
 *
 * @param given channels x height x width values
 * @param missing height x width: whether a pixel is missing; not all are
 */
export function fillWithBlocks(
  exemplars: Exemplars,
  size: Size,
  given: Float32Array,
  missing: readonly boolean[],
  seed: number,
  image: number,
): Float32Array {
  const { channels, height, width, values } = exemplars, area = areaOf(size), out = given.slice(), open = [...missing];
  const random = stream(seed, QUILT_STREAM, image);
  const side = Math.min(FILLING, height, width, size.height, size.width), overlap = Math.floor(side / 3);
  // Rows of missing pixels are filled from above, each block with known pixels above it and on its left where there are any.
  for (let first = open.indexOf(true); first >= 0; first = open.indexOf(true)) {
    const begin = (at: number, length: number) => Math.max(0, Math.min(at - overlap, length - side));
    const top = begin(Math.floor(first / size.width), size.height), left = begin(first % size.width, size.width);
    const shared: number[] = [], taken: number[] = [];
    for (let channel = 0; channel < channels; channel++) {
      for (let i = 0; i < side * side; i++) {
        const y = Math.floor(i / side), x = i % side, to = (top + y) * size.width + left + x;
        (open[to] ? taken : shared).push((channel * height + y) * width + x, channel * area + to);
      }
    }
    const found = best(exemplars, side, misfitOf(values, out, shared), {
      choices: CHOICES,
      apart: 1,
      most: Infinity,
    });
    const block = found[Math.floor(random.next() * found.length)];
    for (let p = 0; p < taken.length; p += 2) {
      out[taken[p + 1]] = values[block + taken[p]];
      open[taken[p + 1] % area] = false;
    }
  }
  return out;
}

/** How far a block is from what is placed already. @param shared pairs of pixels, in a block and in `out` */
function misfitOf(values: Float32Array, out: Float32Array, shared: readonly number[]): (block: number) => number {
  return (block) => {
    let sum = 0;
    for (let p = 0; p < shared.length; p += 2) {
      const difference = values[block + shared[p]] - out[shared[p + 1]];
      sum += difference * difference;
    }
    return sum;
  };
}

/** Chooses the side of blocks: large enough for the exemplars' structures, and small enough that many can be chosen from. */
function blockSide(exemplars: Exemplars): number {
  const wanted = Math.ceil(STRUCTURES * structureLength(exemplars));
  const most = Math.floor(MOST_PART * Math.min(exemplars.height, exemplars.width));
  return Math.max(LEAST_BLOCK, Math.min(wanted, most));
}

/** The pixels of a block in one direction. */
interface Span {
  readonly start: number;
  readonly length: number;
  /** How many of the first pixels were placed before with another block, and of the last ones, where the image tiles. */
  readonly before: number;
  readonly after: number;
}

/** The blocks along one direction of an image; they overlap by at least `overlap` pixels. */
function spans(size: number, side: number, overlap: number, around: boolean): Span[] {
  const step = side - overlap, count = Math.ceil(size / step);
  if (!around) {
    return Array.from({ length: count }, (_, k) => {
      return { start: k * step, length: Math.min(side, size - k * step), before: k > 0 ? overlap : 0, after: 0 };
    });
  }
  const starts = Array.from({ length: count }, (_, k) => Math.floor(k * size / count));
  return starts.map((start, k) => ({
    start,
    length: side,
    before: k > 0 ? starts[k - 1] + side - start : 0,
    after: k > 0 && k === count - 1 ? start + side - size : 0,
  }));
}

function isShared({ length, before, after }: Span, at: number): boolean {
  return at < before || at >= length - after;
}

/** Returns the position of every block of the exemplars: the index of the first value of its first channel. */
function anywhere(exemplars: Exemplars, side: number): number[] {
  const { count, height, width } = exemplars, found: number[] = [];
  for (let image = 0; image < count; image++) {
    for (let y = 0; y + side <= height; y++) {
      for (let x = 0; x + side <= width; x++) found.push(image * lengthOf(exemplars) + y * width + x);
    }
  }
  return found;
}

/** Remembers which pixels of the exemplars were taken. */
function takenBefore(exemplars: Exemplars, side: number) {
  const { count, height, width } = exemplars, length = lengthOf(exemplars), area = areaOf(exemplars);
  const times = new Float64Array(count * area), wide = width + 1, sums = new Float64Array(count * (height + 1) * wide);
  return {
    /** @param taken pairs of pixels; those of the first channel come first */
    take(block: number, taken: readonly number[]) {
      const image = Math.floor(block / length), first = block % length;
      for (let p = 0; p < taken.length && taken[p] < area; p += 2) {
        if (first + taken[p] < area) times[image * area + first + taken[p]]++;
      }
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

/**
 * Returns the positions of up to `choices` blocks of little misfit; of equal ones, the first.
 *
 * @param apart how many pixels they lie apart at least, along one axis
 * @param most the third one's misfit is at most so many times the second one's
 */
function best(
  exemplars: Exemplars,
  side: number,
  misfit: (block: number) => number,
  { choices, apart, most }: { readonly choices: number; readonly apart: number; readonly most: number },
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
    let least = -1;
    for (let i = 0; i < blocks.length; i++) {
      if (least >= 0 && sums[i] >= sums[least]) continue;
      if (!found.some((other) => isNear(other, blocks[i]))) least = i;
    }
    if (least < 0 || sums[least] > limit) break;
    found.push(blocks[least]);
    if (found.length === 2) limit = most * sums[least];
  }
  return found;
}
