/**
 * Shares distances between the searches at the locations of a row. A context that goes across the image (section "Patch with
 * Context", horizontal) is the same for all locations of a row, except the columns around each one's patch. Its part of the LR
 * distances is summed once for the row, in blocks of columns; a location leaves out the blocks around its patch and compares
 * their pixels itself. The sums are integers, so that no candidate depends on it.
 */
import type { Address } from "../../core/kernel_arguments.ts";
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

/** The sums of a row, and the memory that they are computed in. */
interface RowSums {
  readonly layer: LayerData;
  /** The scale of the context that goes across. */
  readonly scale: number;
  /** Values of a block: BLOCK columns of the patch's rows, in every channel. */
  readonly planes: number;
  readonly table: Address;
  readonly numbers: Address;
  readonly scales: Address;
  readonly queries: Address;
  readonly scratch: Address;
  /** The sums over the first block, the first two, ...: `batch` x training images i32 each. */
  readonly sums: readonly Address[];
  /** The row that was summed last, of which LR images, and the blocks that `shared` leaves out of it. */
  row?: { readonly y: number; readonly lrKey: object; leftOut?: OwnBlocks };
  /** The sums without the blocks of a location. */
  readonly shared: Address;
}

/**
 * Prepares what rows share, for locations whose only examples are those at the same place. `pixels` are those of the patch and
 * its context. Undefined where no context goes across, or where sharing it would gain little or take too much memory.
 */
export function rowDistances(layer: LayerData, pixels: readonly ScaledPixel[]): RowDistances | undefined {
  const { kernels, lr, patch, channels, batch } = layer;
  const low = halfOf(layer);
  const side = patch / 2;
  const blocks = Math.ceil(low.width / BLOCK);
  const inRow = batch * lr.count * 4;
  const across = contextAcross(pixels, channels * side, side, low.width);
  const gains = blocks >= MIN_BLOCKS && (blocks + 1) * inRow <= MAX_BYTES;
  if (!across || !gains || !sameShape({ ...low, channels }, lr)) return undefined;
  const planes = channels * side * BLOCK;
  const state: RowSums = {
    layer,
    scale: across.scale,
    planes,
    table: kernels.allocate(planes * 4),
    numbers: kernels.allocate(planes * 4),
    scales: kernels.allocate(planes * 2),
    queries: kernels.allocate(batch * planes * 2),
    scratch: kernels.allocate(searchScratch(planes, batch, 0)),
    sums: Array.from({ length: blocks }, () => kernels.allocate(inRow)),
    shared: kernels.allocate(inRow),
  };
  return {
    ownBlocks: blocksByColumn(across, pixels, low.width),
    sharedDistances: (y, own, measurements) => sharedDistances(state, y, own, measurements),
  };
}

/** Returns a function that finds the blocks of the locations whose LR patches begin in a column, and remembers them. */
function blocksByColumn(
  { left, right, isAcross }: ContextAcross,
  pixels: readonly ScaledPixel[],
  width: number,
): (x: number) => OwnBlocks {
  // Blocks reach at most BLOCK - 1 columns beyond the stretch that they must cover.
  const near = pixels.filter((pixel) => !isAcross(pixel) || pixel.dx >= left - BLOCK && pixel.dx < right + BLOCK);
  const byColumn = new Map<number, OwnBlocks>();
  const blocksOf = (x: number): OwnBlocks => {
    const first = Math.floor(Math.max(x + left, 0) / BLOCK);
    const end = Math.ceil(Math.min(x + right, width) / BLOCK);
    const isOwn = ({ dx }: ScaledPixel) => x + dx >= first * BLOCK && x + dx < end * BLOCK;
    return { first, end, pixels: near.filter((pixel) => !isAcross(pixel) || isOwn(pixel)) };
  };
  return (x) => {
    const blocks = byColumn.get(x) ?? blocksOf(x);
    byColumn.set(x, blocks);
    return blocks;
  };
}

/** Sums a row, unless it was the last one, and leaves out the blocks of a location, unless they were left out last. */
function sharedDistances(state: RowSums, y: number, own: OwnBlocks, measurements: Measurements): Address {
  const { layer: { kernels, lr }, sums, shared } = state;
  const { lrKey, batch } = measurements;
  if (state.row?.y !== y || state.row.lrKey !== lrKey) {
    sumRow(state, y, measurements);
    state.row = { y, lrKey };
  }
  const { leftOut } = state.row;
  if (own.first !== leftOut?.first || own.end !== leftOut.end) {
    const length = batch * lr.count;
    kernels.leaveOut(sums[sums.length - 1], sumUpTo(state, own.first), sumUpTo(state, own.end), length, shared);
  }
  state.row.leftOut = own;
  return shared;
}

/** The sums over the first blocks; 0 stands for none. */
function sumUpTo({ sums }: RowSums, block: number): Address {
  return block === 0 ? 0 : sums[block - 1];
}

/** Writes the sums over the first block, the first two, ... of the row of LR patches that begin in row `y`. */
function sumRow(state: RowSums, y: number, { lr: images, batch }: Measurements): void {
  const { layer, layer: { kernels, lr, channels }, planes, table, numbers, scales, queries, scratch } = state;
  const length = lengthOf({ ...halfOf(layer), channels });
  for (let block = 0; block < state.sums.length; block++) {
    writeBlock(state, y, block);
    kernels.toQueries(images.byteOffset, length, batch, numbers, scales, planes, queries);
    const shape = { planes, count: lr.count, segments: 1, batch };
    const comparison = { table, scale: scales, queries, ...shape, known: sumUpTo(state, block), scratch };
    kernels.addDistances(comparison, sumUpTo(state, block + 1));
  }
}

/** Writes where the values of a block lie. Columns beyond the image repeat its first pixel, with a scale of 0. */
function writeBlock({ layer, scale, planes, table, numbers, scales }: RowSums, y: number, block: number): void {
  const { kernels, lr, patch } = layer;
  const { height, width } = halfOf(layer);
  const side = patch / 2;
  const numberOf = kernels.u32(numbers, planes);
  const addressOf = kernels.u32(table, planes);
  const scaleOf = kernels.i16(scales, planes);
  for (let p = 0; p < planes; p++) {
    const line = Math.floor(p / BLOCK);
    const row = Math.floor(line / side) * height + y + line % side;
    const column = block * BLOCK + p % BLOCK;
    const counts = column < width;
    numberOf[p] = counts ? row * width + column : 0;
    addressOf[p] = lr.at + numberOf[p] * lr.stride;
    scaleOf[p] = counts ? scale : 0;
  }
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
  let left = 1 - width;
  let right = width;
  while (left < right && counts.get(left) === lines) left++;
  while (left < right && counts.get(right - 1) === lines) right--;
  return left > 1 - width && right < width ? { scale: farthest.scale, left, right, isAcross } : undefined;
}
