/** Limits of what the kernels compare, and the working memory that they need. */
import type { LocalScore } from "./kernel_arguments.ts";

/** The largest scale of a byte in a `Comparison`: 6 fractional bits. 64 * 255 fits 16-bit integers, and so do differences of two. */
export const MAX_SCALE = 64;
/** The distances of `search` stay below this: they are 32-bit integers. */
export const MAX_DISTANCE = 2 ** 31 - 1;
/** The most bytes of an example that `search` can compare: at scale 1, their squared differences stay below `MAX_DISTANCE`. */
export const MAX_BYTES_COMPARED = Math.floor((MAX_DISTANCE - 1) / 255 ** 2);

/** Bytes of scratch that `search` and `addDistances` need; `batch` queries of `planes` values each. */
export function searchScratch(planes: number, batch: number, k: number): number {
  const padded = Math.ceil(batch / 4) * 4;
  // The search, queries, features (of a group of planes or of each), lists, examples that wait, eight distances, those of a block's
  // 2048 examples or fewer, groups of sixteen, sixteen widened examples, black ones, a block or room to sort a list.
  return 72 + padded * 48 + (padded + 1) * 2 * (planes + 2) + 16 + padded * 8 * (2 * k + 64 + 96 + 4 * k) + 32 +
    16 * 2064 + 536 +
    32 * planes + 4 * (k + 16) + Math.max(16384, 128 + 32 * planes, 16 * (2 * k + 16));
}

/** Bytes of scratch that `sample` needs for so many candidates of an image. */
export function sampleScratch(channels: number, patch: number, candidates: number): number {
  const blocks = Math.ceil(candidates / 16);
  // The measurements of each row, whole and rest; logarithms; sums of blocks.
  return 32 * channels * patch + 128 * blocks + 8 * blocks;
}

/**
 * Bytes of scratch that `correlate` and `transferDetail` need; `batch` queries of `planes` values each, `inPatch` values of an HR
 * patch.
 */
export function correlationScratch(planes: number, batch: number, k: number, inPatch: number): number {
  // A block of 128 examples with their norms and inverses, eight of them, heads and lists, room to sort one; or the interpolated patch.
  return Math.max(256 * planes + 1024 + 64 + batch * 8 * (1 + k + (k >> 1) + 16) + 48 + 16 * k, inPatch * 4);
}

/** Bytes of scratch that `localScore` and `localScoreWeights` need. */
export function localScoreScratch(
  { channels, height, width, window }: Pick<LocalScore, "channels" | "height" | "width" | "window">,
): number {
  const columns = Math.ceil(width / 4) * 4, pixels = height * columns, reach = Math.min(window >> 1, columns) + 4;
  // What is set once a call, and constants; of each value two words, three bytes and the factor; of each pixel five words; the integral image.
  return 288 + channels * (pixels * 11 + height * (columns + 4) * 2) + pixels * 20 +
    (height + 2) * 4 * (columns + 4 + 2 * reach) + SECOND_INTEGRAL;
}

/** Bytes from one integral image of `localScore` to a second one: `APART` in assembly/local_score/work.ts. */
const SECOND_INTEGRAL = 18496;
