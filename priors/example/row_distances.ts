/**
 * What the searches at the locations of a row share. A context that goes across the image (section "Patch with Context") is the
 * same for all of them, but for the columns around each one's patch: its part of the LR distances is summed once for the row, in
 * blocks of columns, and a location leaves out the blocks around its patch and compares what it needs of them itself.
 */
import { type Address, searchScratch } from "../../core/kernels.ts";
import type { ScaledPixel } from "./lr_pixels.ts";
import { halfOf, lengthOf, sameShape } from "../../core/shape.ts";
import type { LayerData, Measurements } from "../../core/types.ts";

/** Columns of a block. */
const BLOCK = 8;
/** How many blocks there must be at least: a patch and the context around it lie in two or three of them. */
const LEAST_BLOCKS = 4;
/** Bytes of distances that are kept at the most, in each layer. */
const MOST_BYTES = 2 ** 28;

/** What a location leaves out of its row's distances. */
export interface Gap {
  /** Blocks `first` to `end` - 1. */
  readonly first: number;
  readonly end: number;
  /** All pixels that lie in them, or are not part of what the row shares. Some may lie outside the image. */
  readonly pixels: readonly ScaledPixel[];
}

export interface RowDistances {
  /** The gap of the locations whose LR patches begin in a column. */
  gapAt(x: number): Gap;
  /**
   * The distances over all that the location at (y, x) shares with its row, as `search` takes them: in kernel memory, until the
   * next call.
   */
  known(y: number, gap: Gap, now: Measurements): Address;
}

/**
 * Prepares what rows share, for locations whose only examples are those at the same place. `pixels` are those of the patch and
 * its context. Undefined where no context goes across, or where sharing it would gain little or take too much memory.
 */
export function rowDistances(layer: LayerData, pixels: readonly ScaledPixel[]): RowDistances | undefined {
  const { kernels, lr, patch, channels, batch } = layer, low = halfOf(layer), { width } = low, side = patch / 2;
  const blocks = Math.ceil(width / BLOCK), inRow = batch * lr.count * 4;
  const found = acrossOf(pixels, channels * side, side, width);
  const gains = blocks >= LEAST_BLOCKS && (blocks + 1) * inRow <= MOST_BYTES;
  if (!found || !gains || !sameShape({ ...low, channels }, lr)) return undefined;
  const { scale, isAcross, left, right } = found;
  const near = pixels.filter((pixel) => !isAcross(pixel) || pixel.dx >= left - BLOCK && pixel.dx < right + BLOCK);

  const planes = channels * side * BLOCK;
  const table = kernels.allocate(planes * 4), numbers = kernels.allocate(planes * 4);
  const scales = kernels.allocate(planes * 2), queries = kernels.allocate(batch * planes * 2);
  const scratch = kernels.allocate(searchScratch(planes, batch, 0)), out = kernels.allocate(inRow);
  const sums = Array.from({ length: blocks }, () => kernels.allocate(inRow));
  /** The distances over the first blocks. */
  const upTo = (block: number) => block === 0 ? 0 : sums[block - 1];

  const sum = (y: number, now: Measurements) => {
    for (let block = 0; block < blocks; block++) {
      for (let p = 0; p < planes; p++) {
        const line = Math.floor(p / BLOCK), column = block * BLOCK + p % BLOCK, counts = column < width;
        const row = Math.floor(line / side) * low.height + y + line % side, number = counts ? row * width + column : 0;
        kernels.u32(numbers, planes)[p] = number;
        kernels.u32(table, planes)[p] = lr.at + number * lr.stride;
        kernels.i16(scales, planes)[p] = counts ? scale : 0;
      }
      const length = lengthOf({ ...low, channels });
      kernels.toQueries(now.lr.byteOffset, length, now.batch, numbers, scales, planes, queries);
      const [before, after] = [upTo(block), upTo(block + 1)];
      const shape = { planes, count: lr.count, segments: 1, batch: now.batch };
      kernels.addDistances({ table, scale: scales, queries, ...shape, known: before, scratch }, after);
    }
  };
  const gaps = new Map<number, Gap>();
  let summed: { y: number; lrKey: object } | undefined, made: Gap | undefined;
  return {
    gapAt(x) {
      const before = gaps.get(x);
      if (before) return before;
      const first = Math.floor(Math.max(x + left, 0) / BLOCK), end = Math.ceil(Math.min(x + right, width) / BLOCK);
      const inGap = ({ dx }: ScaledPixel) => x + dx >= first * BLOCK && x + dx < end * BLOCK;
      const gap = { first, end, pixels: near.filter((pixel) => !isAcross(pixel) || inGap(pixel)) };
      gaps.set(x, gap);
      return gap;
    },
    known(y, gap, now) {
      if (summed?.y !== y || summed.lrKey !== now.lrKey) {
        sum(y, now);
        summed = { y, lrKey: now.lrKey };
        made = undefined;
      }
      if (gap.first !== made?.first || gap.end !== made.end) {
        kernels.leaveOut(upTo(blocks), upTo(gap.first), upTo(gap.end), now.batch * lr.count, out);
      }
      made = gap;
      return out;
    },
  };
}

/** A context that goes across: the pixels of one scale in the patch's rows, at all offsets but for those from `left` to `right` - 1. */
interface Across {
  readonly scale: number;
  readonly left: number;
  readonly right: number;
  isAcross(pixel: ScaledPixel): boolean;
}

/** Finds it in images of that width; `lines` is how many rows a patch has in all channels. */
function acrossOf(pixels: readonly ScaledPixel[], lines: number, side: number, width: number): Across | undefined {
  const inRows = pixels.filter(({ dy, mirrored }) => !mirrored && dy >= 0 && dy < side);
  const farthest = inRows.find(({ dx }) => dx === width - 1);
  if (!farthest) return undefined;
  const isAcross = ({ dy, mirrored, scale }: ScaledPixel) =>
    !mirrored && dy >= 0 && dy < side && scale === farthest.scale;
  const counts = new Map<number, number>();
  for (const { dx } of inRows.filter(isAcross)) counts.set(dx, (counts.get(dx) ?? 0) + 1);
  let left = 1 - width, right = width;
  while (left < right && counts.get(left) === lines) left++;
  while (left < right && counts.get(right - 1) === lines) right--;
  return left > 1 - width && right < width ? { scale: farthest.scale, left, right, isAcross } : undefined;
}
