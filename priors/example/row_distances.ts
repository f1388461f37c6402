/**
 * Shares distances between the searches at the locations of a row. A context that goes across the image (section "Patch with
 * Context", horizontal) is the same for all locations of a row, but for the columns around each one's patch. Its part of the LR
 * distances is summed once for the row, in blocks of columns; a location leaves out the blocks around its patch and compares
 * their pixels itself. The sums are integers, so that no candidate depends on it.
 */
import type { Address } from "../../core/kernel_functions.ts";
import { searchScratch } from "../../core/kernel_limits.ts";
import { halfOf, lengthOf, sameShape } from "../../core/shape.ts";
import type { LayerData, Measurements } from "../../core/types.ts";
import type { ScaledPixel } from "./lr_pixels.ts";

/** Columns of a block. */
const BLOCK = 8;
/** How many blocks there must be at least: a patch and the context around it lie in two or three of them. */
const MIN_BLOCKS = 4;
/** Bytes of distances that are kept at the most, in each layer. */
const MAX_BYTES = 2 ** 28;

/** The blocks of columns that a location compares itself. */
export interface OwnBlocks {
  /** Blocks `first` to `end` - 1. */
  readonly first: number;
  readonly end: number;
  /** All pixels that lie in them, or are not part of what the row shares. Some may lie outside the image. */
  readonly pixels: readonly ScaledPixel[];
}

/** What the locations of a row share. */
export interface RowDistances {
  /** The blocks of the locations whose LR patches begin in column `x`. */
  ownBlocks(x: number): OwnBlocks;
  /**
   * The distances over all blocks but `own`, for LR patches that begin in row `y`: `batch` x training images i32, in kernel
   * memory until the next call.
   */
  sharedDistances(y: number, own: OwnBlocks, measurements: Measurements): Address;
}

/**
 * Prepares what rows share, for locations whose only examples are those at the same place. `pixels` are those of the patch and
 * its context. Undefined where no context goes across, or where sharing it would gain little or take too much memory.
 */
export function rowDistances(layer: LayerData, pixels: readonly ScaledPixel[]): RowDistances | undefined {
  const { kernels, lr, patch, channels, batch } = layer, low = halfOf(layer), { width } = low, side = patch / 2;
  const blocks = Math.ceil(width / BLOCK), inRow = batch * lr.count * 4;
  const across = contextAcross(pixels, channels * side, side, width);
  const gains = blocks >= MIN_BLOCKS && (blocks + 1) * inRow <= MAX_BYTES;
  if (!across || !gains || !sameShape({ ...low, channels }, lr)) return undefined;
  const { scale, isAcross, left, right } = across;
  // Blocks reach at most BLOCK - 1 columns beyond the stretch that they must cover.
  const near = pixels.filter((pixel) => !isAcross(pixel) || pixel.dx >= left - BLOCK && pixel.dx < right + BLOCK);

  const planes = channels * side * BLOCK;
  const table = kernels.allocate(planes * 4), numbers = kernels.allocate(planes * 4);
  const scales = kernels.allocate(planes * 2), queries = kernels.allocate(batch * planes * 2);
  const scratch = kernels.allocate(searchScratch(planes, batch, 0)), shared = kernels.allocate(inRow);
  const sums = Array.from({ length: blocks }, () => kernels.allocate(inRow));
  /** The sums over the first blocks; 0 stands for none. */
  const sumUpTo = (block: number) => block === 0 ? 0 : sums[block - 1];

  /** Writes the sums over the first block, the first two, ... of the row of LR patches that begin in row `y`. */
  const sumRow = (y: number, measurements: Measurements) => {
    const length = lengthOf({ ...low, channels });
    for (let block = 0; block < blocks; block++) {
      for (let p = 0; p < planes; p++) {
        const line = Math.floor(p / BLOCK), column = block * BLOCK + p % BLOCK, counts = column < width;
        const row = Math.floor(line / side) * low.height + y + line % side, number = counts ? row * width + column : 0;
        kernels.u32(numbers, planes)[p] = number;
        kernels.u32(table, planes)[p] = lr.at + number * lr.stride;
        kernels.i16(scales, planes)[p] = counts ? scale : 0;
      }
      kernels.toQueries(measurements.lr.byteOffset, length, measurements.batch, numbers, scales, planes, queries);
      const shape = { planes, count: lr.count, segments: 1, batch: measurements.batch };
      const comparison = { table, scale: scales, queries, ...shape, known: sumUpTo(block), scratch };
      kernels.addDistances(comparison, sumUpTo(block + 1));
    }
  };

  const byColumn = new Map<number, OwnBlocks>();
  let summed: { y: number; lrKey: object } | undefined, leftOut: OwnBlocks | undefined;
  return {
    ownBlocks(x) {
      const before = byColumn.get(x);
      if (before) return before;
      const first = Math.floor(Math.max(x + left, 0) / BLOCK), end = Math.ceil(Math.min(x + right, width) / BLOCK);
      const isOwn = ({ dx }: ScaledPixel) => x + dx >= first * BLOCK && x + dx < end * BLOCK;
      const own = { first, end, pixels: near.filter((pixel) => !isAcross(pixel) || isOwn(pixel)) };
      byColumn.set(x, own);
      return own;
    },
    sharedDistances(y, own, measurements) {
      if (summed?.y !== y || summed.lrKey !== measurements.lrKey) {
        sumRow(y, measurements);
        summed = { y, lrKey: measurements.lrKey };
        leftOut = undefined;
      }
      if (own.first !== leftOut?.first || own.end !== leftOut.end) {
        const length = measurements.batch * lr.count;
        kernels.leaveOut(sumUpTo(blocks), sumUpTo(own.first), sumUpTo(own.end), length, shared);
      }
      leftOut = own;
      return shared;
    },
  };
}

/** A context that goes across: the pixels of one scale in the patch's rows, at all offsets but those from `left` to `right` - 1. */
interface ContextAcross {
  readonly scale: number;
  readonly left: number;
  readonly right: number;
  isAcross(pixel: ScaledPixel): boolean;
}

/** Finds it in images of that width; `lines` is how many rows a patch has in all channels. */
function contextAcross(
  pixels: readonly ScaledPixel[],
  lines: number,
  side: number,
  width: number,
): ContextAcross | undefined {
  const inRows = pixels.filter(({ dy, mirrored }) => !mirrored && dy >= 0 && dy < side);
  // A context that goes across reaches, from the first column, the last one; its pixels there tell its scale.
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
