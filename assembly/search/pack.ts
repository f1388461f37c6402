// Packs a block of examples for `scan`. Eight examples take 32 bytes for the sums of their features' squares, then 32 bytes for
// each pair of features, with the i16 lanes (example, feature), (example, next feature), (next example, feature)...
import { highPairs, lowPairs, multiplyAdd, storeApart } from "../lanes";
import { GROUP } from "./bounds";
import { packProjections } from "./project";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Search, tableOf } from "./state";

/** Packs examples `first` to `last` - 1 of a segment. */
export function pack(search: Search, segment: i32, first: i32, last: i32): void {
  const addresses = tableOf(search.given, segment);
  if (!search.bounds) packPlanes(search, addresses, first, last);
  else if (search.given.axes != 0) packProjections(search, segment, addresses, first, last);
  else packSums(search, addresses, first, last);
}

/** Packs the planes themselves, for sixteen examples at a time. */
function packPlanes(search: Search, addresses: usize, first: i32, last: i32): void {
  const scale = search.given.scale, end = scale + (<usize> search.given.planes << 1);
  const apart = 32 + (<usize> search.features << 4);
  let to = search.packed;
  for (let j = first; j < last; j += 16) {
    let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, plane = addresses, at = to + 32;
    for (let s = scale; s < end; s += 4) {
      const x = v128.load(load<u32>(plane) + j), y = v128.load(load<u32>(plane, 4) + j), by = v128.load32_splat(s);
      const low = lowPairs(x, y), high = highPairs(x, y);
      const v0 = i16x8.mul(i16x8.extend_low_i8x16_u(low), by), v1 = i16x8.mul(i16x8.extend_high_i8x16_u(low), by);
      const v2 = i16x8.mul(i16x8.extend_low_i8x16_u(high), by), v3 = i16x8.mul(i16x8.extend_high_i8x16_u(high), by);
      storeApart(at, apart, v0, v1, v2, v3);
      s0 = multiplyAdd(s0, v0, v0);
      s1 = multiplyAdd(s1, v1, v1);
      s2 = multiplyAdd(s2, v2, v2);
      s3 = multiplyAdd(s3, v3, v3);
      plane += 8;
      at += 32;
    }
    storeApart(to, apart, s0, s1, s2, s3);
    to = at + apart;
  }
}

/** Packs the sums of groups of planes, for sixteen examples at a time. */
function packSums(search: Search, addresses: usize, first: i32, last: i32): void {
  const end = addresses + (<usize> search.given.planes << 2), factors = search.factors;
  const stop = factors + (<usize> search.features << 1), apart = 32 + (<usize> search.features << 4);
  let to = search.packed;
  for (let j = first; j < last; j += 16) {
    let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, plane = addresses, at = to + 32;
    for (let factor = factors; factor < stop; factor += 4) {
      let a0 = i16x8.splat(0), a1 = a0, b0 = a0, b1 = a0;
      for (const middle = min(plane + 4 * GROUP, end); plane < middle; plane += 8) {
        const x = v128.load(load<u32>(plane) + j), y = v128.load(load<u32>(plane, 4) + j);
        a0 = i16x8.add(a0, i16x8.add(i16x8.extend_low_i8x16_u(x), i16x8.extend_low_i8x16_u(y)));
        a1 = i16x8.add(a1, i16x8.add(i16x8.extend_high_i8x16_u(x), i16x8.extend_high_i8x16_u(y)));
      }
      for (const next = min(plane + 4 * GROUP, end); plane < next; plane += 8) {
        const x = v128.load(load<u32>(plane) + j), y = v128.load(load<u32>(plane, 4) + j);
        b0 = i16x8.add(b0, i16x8.add(i16x8.extend_low_i8x16_u(x), i16x8.extend_low_i8x16_u(y)));
        b1 = i16x8.add(b1, i16x8.add(i16x8.extend_high_i8x16_u(x), i16x8.extend_high_i8x16_u(y)));
      }
      const by = v128.load16_splat(factor), bz = v128.load16_splat(factor, 2);
      a0 = i16x8.q15mulr_sat_s(i16x8.shl(a0, 4), by);
      a1 = i16x8.q15mulr_sat_s(i16x8.shl(a1, 4), by);
      b0 = i16x8.q15mulr_sat_s(i16x8.shl(b0, 4), bz);
      b1 = i16x8.q15mulr_sat_s(i16x8.shl(b1, 4), bz);
      const v0 = i16x8.shuffle(a0, b0, 0, 8, 1, 9, 2, 10, 3, 11),
        v1 = i16x8.shuffle(a0, b0, 4, 12, 5, 13, 6, 14, 7, 15);
      const v2 = i16x8.shuffle(a1, b1, 0, 8, 1, 9, 2, 10, 3, 11),
        v3 = i16x8.shuffle(a1, b1, 4, 12, 5, 13, 6, 14, 7, 15);
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
