// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// The list of a query: the keys of the nearest examples so far, and of some more.
import { setBound } from "./bounds";
import { select, sort } from "./select";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Query, Search } from "./state";

/** Empties a list and limits it to distances below `bound`. */
export function open(search: Search, query: Query, bound: i32): void {
  query.length = 0;
  setBound(search, query, bound);
}

/** Appends an example whose distance is below the bound. */
// @ts-ignore: decorator
@inline
export function append(search: Search, query: Query, distance: i32, index: i32): void {
  const length = query.length + 1, kept = search.kept;
  store<u64>(query.keys + (<usize> length << 3) - 8, (<u64> <u32> distance << 32) | <u64> <u32> index);
  query.length = length;
  if (length > kept + (kept >> 1) + 2) cut(search, query);
}

/** For each mask of four lanes, the bytes that move these lanes to the front. */
const TO_FRONT = memory.data<u8>([
  0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
  0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3,
  4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7,
  0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7,
  8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11,
  0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11,
  4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 8, 9, 10, 11,
  12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15,
  0, 1, 2, 3, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15,
  4, 5, 6, 7, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15,
  0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 12, 13, 14, 15,
  8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15,
  0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15,
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
], 16);

/**
 * Appends those of four examples whose sums are in reach to a list that ends at `to`, without a branch. Returns its new end, behind which
 * four more keys may be overwritten.
 */
// @ts-ignore: decorator
@inline
export function appendFour(to: usize, sums: v128, reach: v128, square: v128, indices: v128): usize {
  const near = i32x4.bitmask(i32x4.lt_s(sums, reach)), toFront = v128.load(TO_FRONT + (<usize> near << 4));
  const distances = i8x16.swizzle(i32x4.add(sums, square), toFront), numbers = i8x16.swizzle(indices, toFront);
  v128.store(to, i32x4.shuffle(numbers, distances, 0, 4, 1, 5));
  v128.store(to, i32x4.shuffle(numbers, distances, 2, 6, 3, 7), 16);
  return to + (<usize> popcnt(near) << 3);
}

/**
 * Cuts a list back to its `kept` smallest keys or a few more, in no order, and lowers the bound so that no fewer than `kept` are
 * below it. Narrows the interval between the least and the largest distance, by turns where a straight line through the counts at
 * its ends would have them and in the middle: unlike sorting, this takes no branch for each key.
 */
export function cut(search: Search, query: Query): void {
  const keys = query.keys, length = query.length, kept = search.kept, end = keys + (<usize> length << 3);
  // The distances are the odd lanes of two keys. One key that is never below a bound makes an odd number even.
  store<u64>(end, u64.MAX_VALUE >> 1);
  let least = v128.load(keys), largest = i32x4.splat(0);
  for (let at = keys; at < end; at += 16) least = i32x4.min_s(least, v128.load(at));
  for (let at = keys; at + 8 < end; at += 16) largest = i32x4.max_s(largest, v128.load(at));
  let low = min(i32x4.extract_lane(least, 1), i32x4.extract_lane(least, 3));
  let high = max(max(i32x4.extract_lane(largest, 1), i32x4.extract_lane(largest, 3)), load<i32>(end - 8, 4));
  // Fewer than `kept` are below `low`, too many below `high`. `high` itself is not tried, so that equal distances end the loop.
  let fewer = 0, more = length, halves = false;
  while (length > kept && high - low > 1) {
    const part = halves ? 0.5 : <f64> (kept + (kept >> 4) - fewer) / <f64> (more - fewer);
    const middle = max(low + 1, min(high - 1, low + <i32> (part * <f64> (high - low)))), bound = i32x4.splat(middle);
    halves = !halves;
    let below = i32x4.splat(0);
    for (let at = keys; at < end; at += 16) below = i32x4.sub(below, i32x4.lt_s(v128.load(at), bound));
    const count = i32x4.extract_lane(below, 1) + i32x4.extract_lane(below, 3);
    if (count < kept) {
      low = middle;
      fewer = count;
    } else if (count > kept + (kept >> 3)) {
      high = middle;
      more = count;
    } else {
      let to = keys;
      for (let at = keys; at < end; at += 8) {
        const key = load<u64>(at);
        store<u64>(to, key);
        to += <usize> (<i32> (key >> 32) < middle) << 3;
      }
      query.length = count;
      setBound(search, query, middle);
      return;
    }
  }
  if (length > kept) select(keys, length, kept);
  let last: u64 = 0;
  for (let i = 0; i < kept; i++) last = max(last, load<u64>(keys + (<usize> i << 3)));
  query.length = kept;
  // Examples that waited come in any order. Of two as near the lower index counts: it may still come.
  setBound(search, query, <i32> (last >> 32) + <i32> search.waits);
}

/** Copies a list's `kept` smallest keys to `out` in ascending order. */
export function finish(search: Search, query: Query, out: usize): void {
  const kept = search.kept;
  sort(query.keys, query.length, search.packed);
  memory.copy(out, query.keys, <usize> kept << 3);
}
