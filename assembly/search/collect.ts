// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Collects the examples of a block that are in reach of a query from their sums. Most are not. Only when all sums are stored, as the
// branches that no processor predicts would stop it from working ahead on the sums of the next examples.
import { appendFour, cut } from "./lists";
import { compareEight } from "./project";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Query, Search } from "./state";
import { postpone } from "./waiting";

/** Collects those of the examples `first` to `last` - 1 that are in reach; `at`: their sums. */
export function collect(search: Search, query: Query, at: usize, first: i32, last: i32, base: i32): void {
  if (search.bounds) collectBounds(search, query, at, first, last, base);
  else collectDistances(search, query, at, first, last - first, base);
}

/**
 * Collects as `collect` some examples whose sums are distances. Without a branch for an example: first the groups of sixteen that
 * have one in reach are listed, then these are appended, four examples at a time.
 */
function collectDistances(search: Search, query: Query, at: usize, first: i32, count: i32, base: i32): void {
  for (let j = count; (j & 15) != 0; j++) store<i32>(at + (<usize> (j >> 3) << 7) + (<usize> (j & 7) << 2), i32.MAX_VALUE);
  const groups = search.groups, stop = at + (<usize> (count + 15 >> 4) << 8), keys = query.keys, kept = search.kept;
  let end = groups, reach = reachOf(query);
  for (let group = at; group < stop; group += 256) {
    store<u32>(end, <u32> group);
    end += <usize> v128.any_true(i32x4.lt_s(i32x4.min_s(least8(group), least8(group + 128)), reach)) << 2;
  }
  const square = i32x4.splat(query.square), full = keys + (<usize> (kept + (kept >> 1) + (kept >> 2) + 2) << 3);
  let to = keys + (<usize> query.length << 3);
  for (let next = groups; next < end; next += 4) {
    let group = <usize> load<u32>(next), indices = i32x4.splat(base + first + <i32> ((group - at) >> 4));
    for (const half = group + 128; group <= half; group += 128) {
      to = appendFour(to, v128.load(group), reach, square, i32x4.add(indices, i32x4(0, 1, 2, 3)));
      to = appendFour(to, v128.load(group, 16), reach, square, i32x4.add(indices, i32x4(4, 5, 6, 7)));
      indices = i32x4.add(indices, i32x4.splat(8));
    }
    if (to > full) {
      query.length = <i32> (to - keys) >> 3;
      cut(search, query);
      to = keys + (<usize> query.length << 3);
      reach = reachOf(query);
    }
  }
  query.length = <i32> (to - keys) >> 3;
}

/** Collects as `collect` examples that lower bounds do not rule out, with a branch for 32 examples. */
function collectBounds(search: Search, query: Query, at: usize, first: i32, last: i32, base: i32): void {
  const square = query.square, axes = search.given.axes;
  for (let j = first; j < last; j += 32, at += 512) {
    const reach = reachOf(query);
    const least = i32x4.min_s(i32x4.min_s(least8(at), least8(at + 128)), i32x4.min_s(least8(at + 256), least8(at + 384)));
    if (!v128.any_true(i32x4.lt_s(least, reach))) continue;
    let near = near16(at, reach) | near16(at + 256, reach) << 16;
    if (last - j < 32) near &= (1 << (last - j)) - 1;
    for (; near != 0; near &= near - 1) {
      const lane = ctz(near), distance = load<i32>(at + (<usize> (lane >> 3) << 7) + (<usize> (lane & 7) << 2)) + square;
      if (axes == 0) postpone(search, query, distance, base + j + lane);
      else {
        const eight = lane & ~7;
        compareEight(search, query, j + eight, base, near >> eight & 255);
        near &= ~(255 << eight) | 1 << lane;
      }
    }
  }
}

/** What the sums of a query's examples in reach are below, four times. */
// @ts-ignore: decorator
@inline
function reachOf(query: Query): v128 {
  return v128.load32_splat(changetype<usize>(query), offsetof<Query>("reach"));
}

/** The least of the first and the last four of eight sums. */
// @ts-ignore: decorator
@inline
function least8(at: usize): v128 {
  return i32x4.min_s(v128.load(at), v128.load(at, 16));
}

/** A mask of those of sixteen examples that are in reach. */
// @ts-ignore: decorator
@inline
function near16(at: usize, reach: v128): i32 {
  return i8x16.bitmask(i8x16.narrow_i16x8_s(near8(at, reach), near8(at + 128, reach)));
}

// @ts-ignore: decorator
@inline
function near8(at: usize, reach: v128): v128 {
  return i16x8.narrow_i32x4_s(i32x4.lt_s(v128.load(at), reach), i32x4.lt_s(v128.load(at, 16), reach));
}
