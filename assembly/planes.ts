// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Pixel-major planes: for each pixel a plane of `count` bytes, one of each image. Any patch, window or context is then a list of
// planes, and a distance is a running sum over them for many examples at a time.

import { lowPairs } from "./lanes";

/**
 * Values of a list that are copied for all lists before the next ones: what is written stays in the processor's cache. Of 64 each,
 * regions of digits took half as long again.
 */
const BLOCK: i32 = 256;

/**
 * Copies image-major rows (`count` images of `pixels` bytes) to `pixels` planes, `stride` bytes apart. Leaves the bytes of a
 * plane beyond `count` as they are.
 */
export function toPlanes(rows: usize, count: i32, pixels: i32, planes: usize, stride: i32): void {
  transpose(0, rows, count, pixels, planes, stride);
}

/**
 * Copies `count` bytes of each of `planes` planes, whose addresses are the u32 of `table`, to rows: image by image one byte of each.
 */
export function toRows(table: usize, planes: i32, count: i32, rows: usize): void {
  transpose(table, 0, planes, count, rows, planes);
}

/**
 * Copies byte i of list p to `to + i stride + p`, for lists of `length` bytes whose addresses are the u32 of `table`; without a table
 * they lie one behind another from `lists` on.
 */
function transpose(table: usize, lists: usize, count: i32, length: i32, to: usize, stride: i32): void {
  if (count < 8 || length < 8) {
    for (let p = 0; p < count; p++) {
      const list = addressOf(p, table, lists, length);
      for (let i = 0; i < length; i++) store<u8>(to + <usize> i * <usize> stride + p, load<u8>(list + i));
    }
    return;
  }
  // Eight bytes of eight lists at a time. The last ones overlap those before.
  for (let first = 0; first < length; first += BLOCK) {
    for (let next = 0, last = min(first + BLOCK, length); next < count; next += 8) {
      const p = min(next, count - 8);
      const la = addressOf(p, table, lists, length), lb = addressOf(p + 1, table, lists, length);
      const lc = addressOf(p + 2, table, lists, length), ld = addressOf(p + 3, table, lists, length);
      const le = addressOf(p + 4, table, lists, length), lf = addressOf(p + 5, table, lists, length);
      const lg = addressOf(p + 6, table, lists, length), lh = addressOf(p + 7, table, lists, length);
      for (let at = first; at < last; at += 8) {
        const i = min(at, length - 8);
        const a = v128.load64_zero(la + i), b = v128.load64_zero(lb + i), c = v128.load64_zero(lc + i), d = v128.load64_zero(ld + i);
        const e = v128.load64_zero(le + i), f = v128.load64_zero(lf + i), g = v128.load64_zero(lg + i), h = v128.load64_zero(lh + i);
        storeEight(to + <usize> i * <usize> stride + p, stride, lowPairs(a, b), lowPairs(c, d), lowPairs(e, f), lowPairs(g, h));
      }
    }
  }
}

function addressOf(p: i32, table: usize, lists: usize, length: i32): usize {
  return table ? <usize> load<u32>(table + (<usize> p << 2)) : lists + <usize> p * <usize> length;
}

/** Stores eight bytes of each of eight rows, `apart` bytes from one to the next, from pairs of lists. */
function storeEight(at: usize, apart: usize, ab: v128, cd: v128, ef: v128, gh: v128): void {
  const low = i16x8.shuffle(ab, cd, 0, 8, 1, 9, 2, 10, 3, 11), next = i16x8.shuffle(ef, gh, 0, 8, 1, 9, 2, 10, 3, 11);
  storeFour(at, apart, low, next);
  const high = i16x8.shuffle(ab, cd, 4, 12, 5, 13, 6, 14, 7, 15), last = i16x8.shuffle(ef, gh, 4, 12, 5, 13, 6, 14, 7, 15);
  storeFour(at + 4 * apart, apart, high, last);
}

/** Stores eight bytes of each of four rows, from two vectors with four bytes of each. */
// @ts-ignore: decorator
@inline
function storeFour(at: usize, apart: usize, first: v128, second: v128): void {
  const low = i32x4.shuffle(first, second, 0, 4, 1, 5), high = i32x4.shuffle(first, second, 2, 6, 3, 7);
  v128.store64_lane(at, low, 0);
  v128.store64_lane(at + apart, low, 1);
  v128.store64_lane(at + 2 * apart, high, 0);
  v128.store64_lane(at + 3 * apart, high, 1);
}
