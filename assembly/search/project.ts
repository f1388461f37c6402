// deno-fmt-ignore-file: the formatter drops decorators, as in scan.ts.
// Lower bounds from projections on given axes. Of very many examples they rule out nearly all. The others are compared in full
// at once, while their block is in the cache.
import { highPairs, lowPairs, multiplyAdd, pair, storeApart } from "../lanes";
import { SHIFT } from "./bounds";
import { append } from "./lists";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Query, queryAt, Search, tableOf } from "./state";

/**
 * Packs the projections on the axes, for sixteen examples at a time. Notes the first black examples and puts all of them out of
 * reach: where images have a black ground, a great part of the examples is black, all as far from a query, and no bound rules out
 * what is as near as the nearest.
 */
export function packProjections(search: Search, segment: i32, addresses: usize, first: i32, last: i32): void {
  const planes = search.given.planes, axes = search.given.axes, inAxis = <usize> planes << 1;
  const stop = axes + <usize> search.features * inAxis, apart = 32 + (<usize> search.features << 4);
  const half = i32x4.splat(1 << (SHIFT - 1));
  let to = search.packed;
  for (let j = first; j < last; j += 16) {
    const black = i8x16.eq(widen(search, addresses, j), i8x16.splat(0));
    for (let near = i8x16.bitmask(black); near != 0; near &= near - 1) {
      const example = j + ctz(near);
      if (example >= last || search.blacksLength >= search.kept) break;
      store<u32>(search.blacks + (<usize> search.blacksLength << 2), segment * search.given.count + example);
      search.blacksLength++;
    }
    const lower = i16x8.extend_low_i8x16_s(black), upper = i16x8.extend_high_i8x16_s(black);
    let s0 = outOfReach(i32x4.extend_low_i16x8_s(lower)), s1 = outOfReach(i32x4.extend_high_i16x8_s(lower));
    let s2 = outOfReach(i32x4.extend_low_i16x8_s(upper)), s3 = outOfReach(i32x4.extend_high_i16x8_s(upper));
    let at = to + 32;
    for (let axis = axes; axis < stop; axis += inAxis << 1) {
      let a0 = half, a1 = half, a2 = half, a3 = half, b0 = half, b1 = half, b2 = half, b3 = half;
      let from = search.widened;
      for (let a = axis; a < axis + inAxis; a += 4) {
        const x = v128.load32_splat(a), y = v128.load32_splat(a + inAxis);
        let wide = v128.load(from);
        a0 = multiplyAdd(a0, wide, x);
        b0 = multiplyAdd(b0, wide, y);
        wide = v128.load(from, 16);
        a1 = multiplyAdd(a1, wide, x);
        b1 = multiplyAdd(b1, wide, y);
        wide = v128.load(from, 32);
        a2 = multiplyAdd(a2, wide, x);
        b2 = multiplyAdd(b2, wide, y);
        wide = v128.load(from, 48);
        a3 = multiplyAdd(a3, wide, x);
        b3 = multiplyAdd(b3, wide, y);
        from += 64;
      }
      const v0 = inTurn(a0, b0), v1 = inTurn(a1, b1), v2 = inTurn(a2, b2), v3 = inTurn(a3, b3);
      storeApart(at, apart, v0, v1, v2, v3);
      s0 = multiplyAdd(s0, v0, v0);
      s1 = multiplyAdd(s1, v1, v1);
      s2 = multiplyAdd(s2, v2, v2);
      s3 = multiplyAdd(s3, v3, v3);
      at += 32;
    }
    storeApart(to, apart, s0, s1, s2, s3);
    to = at + apart;
  }
}

/**
 * Scales the bytes of sixteen examples, from `j` on: for each pair of planes 64 bytes, in the order of `packPlanes`. Returns
 * their bytes of all planes, joined by "or".
 */
function widen(search: Search, addresses: usize, j: i32): v128 {
  const scale = search.given.scale, end = scale + (<usize> search.given.planes << 1);
  let to = search.widened, plane = addresses, all = i8x16.splat(0);
  for (let s = scale; s < end; s += 4) {
    const x = v128.load(load<u32>(plane) + j), y = v128.load(load<u32>(plane, 4) + j), by = v128.load32_splat(s);
    const low = lowPairs(x, y), high = highPairs(x, y);
    all = v128.or(all, v128.or(x, y));
    v128.store(to, i16x8.mul(i16x8.extend_low_i8x16_u(low), by));
    v128.store(to, i16x8.mul(i16x8.extend_high_i8x16_u(low), by), 16);
    v128.store(to, i16x8.mul(i16x8.extend_low_i8x16_u(high), by), 32);
    v128.store(to, i16x8.mul(i16x8.extend_high_i8x16_u(high), by), 48);
    plane += 8;
    to += 64;
  }
  return all;
}

/** A sum of squares that no query reaches, in the lanes of a mask. */
function outOfReach(mask: v128): v128 {
  return v128.and(mask, i32x4.splat(1 << 30));
}

/** Divides the projections of four examples by 2^SHIFT: lanes (example 0, a), (example 0, b), (example 1, a)... */
function inTurn(a: v128, b: v128): v128 {
  return v128.or(v128.and(i32x4.shr_s(a, SHIFT), i32x4.splat(0xffff)), i32x4.shl(i32x4.shr_s(b, SHIFT), 16));
}

/** Compares eight examples, from `j` on, with a query in full, and appends those of the mask `near` that are below the bound. */
export function compareEight(search: Search, query: Query, j: i32, base: i32, near: i32): void {
  const given = search.given, end = given.scale + (<usize> given.planes << 1), eight = search.eight;
  let plane = tableOf(given, base / given.count), wanted = query.values;
  let low = i32x4.splat(0), high = low;
  for (let s = given.scale; s < end; s += 4) {
    const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j);
    const by = v128.load32_splat(s), two = v128.load32_splat(wanted);
    const a = i16x8.sub(i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by), two);
    const b = i16x8.sub(i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by), two);
    low = multiplyAdd(low, a, a);
    high = multiplyAdd(high, b, b);
    plane += 8;
    wanted += 4;
  }
  v128.store(eight, low);
  v128.store(eight, high, 16);
  for (; near != 0; near &= near - 1) {
    const lane = ctz(near), distance = load<i32>(eight + (<usize> lane << 2));
    if (distance < query.bound) append(search, query, distance, base + j + lane);
  }
}

/** Appends the first black examples to all lists, from number `from` of them on. */
export function appendBlacks(search: Search, from: i32): void {
  for (let i = from; i < search.blacksLength; i++) {
    const index = load<u32>(search.blacks + (<usize> i << 2));
    for (let b = 0; b < search.given.batch; b++) {
      const query = queryAt(search, b);
      if (query.fromBlack < query.bound) append(search, query, query.fromBlack, index);
    }
  }
}
