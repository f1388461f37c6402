// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Compares all queries with the packed examples of a block. |x - q|^2 - |q|^2 = |x|^2 - 2 x q takes one multiplication and one
// addition for two planes of four examples: |x|^2 is packed, -2 q is prepared, and |q|^2 is the same for all examples.
import { multiplyAdd } from "../lanes";
import { UNIT } from "./bounds";
import { collect } from "./collect";
import { pack } from "./pack";
import { appendBlacks } from "./project";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { after, Query, queryAt, Search, TILE } from "./state";

/** Packs a block of examples and compares them with all queries. */
export function scan(search: Search, block: i32): void {
  const count = search.given.count, batch = search.given.batch, length = search.blockLength;
  const segment = block / search.blocksInSegment, first = (block - segment * search.blocksInSegment) * length;
  const last = min(first + length, count);
  const blacks = search.blacksLength;
  pack(search, segment, first, last);
  appendBlacks(search, blacks);
  for (let b = 0; b < batch; b += TILE) {
    const query = queryAt(search, b), values = search.values + (<usize> (b * search.features) << 1);
    if (b + 1 < batch) scan4(search, query, values, first, last, segment * count);
    else scan1(search, query, values, first, last, segment * count);
  }
}

/** Compares a tile of four queries with the packed examples `first` to `last` - 1; `base` is the segment's first index. */
function scan4(search: Search, query: Query, values: usize, first: i32, last: i32, base: i32): void {
  const end = values + (<usize> search.features << 3), shift = search.bounds ? UNIT : 0;
  const odd = end - 16, apart = 32 + (<usize> search.features << 4);
  const known0 = knownFrom(query, base), known1 = knownFrom(after(query, 1), base);
  const known2 = knownFrom(after(query, 2), base), known3 = knownFrom(after(query, 3), base);
  let block = search.packed, to = search.sums;
  for (let j = first; j < last; j += 8, block += apart, to += 128) {
    let low0 = v128.load(block), low1 = low0, low2 = low0, low3 = low0;
    let high0 = v128.load(block, 16), high1 = high0, high2 = high0, high3 = high0;
    if (known0 != 0) {
      const at = <usize> j << 2;
      low0 = addKnown(low0, known0 + at, shift), high0 = addKnown(high0, known0 + at + 16, shift);
      low1 = addKnown(low1, known1 + at, shift), high1 = addKnown(high1, known1 + at + 16, shift);
      low2 = addKnown(low2, known2 + at, shift), high2 = addKnown(high2, known2 + at + 16, shift);
      low3 = addKnown(low3, known3 + at, shift), high3 = addKnown(high3, known3 + at + 16, shift);
    }
    // Two pairs of features in a round: counting rounds takes an eighth of the instructions of one.
    let q = values, at = block + 32;
    for (; q < odd; q += 32, at += 64) {
      let low = v128.load(at), high = v128.load(at, 16), two = v128.load32_splat(q);
      low0 = multiplyAdd(low0, low, two), high0 = multiplyAdd(high0, high, two);
      two = v128.load32_splat(q, 4);
      low1 = multiplyAdd(low1, low, two), high1 = multiplyAdd(high1, high, two);
      two = v128.load32_splat(q, 8);
      low2 = multiplyAdd(low2, low, two), high2 = multiplyAdd(high2, high, two);
      two = v128.load32_splat(q, 12);
      low3 = multiplyAdd(low3, low, two), high3 = multiplyAdd(high3, high, two);
      low = v128.load(at, 32), high = v128.load(at, 48), two = v128.load32_splat(q, 16);
      low0 = multiplyAdd(low0, low, two), high0 = multiplyAdd(high0, high, two);
      two = v128.load32_splat(q, 20);
      low1 = multiplyAdd(low1, low, two), high1 = multiplyAdd(high1, high, two);
      two = v128.load32_splat(q, 24);
      low2 = multiplyAdd(low2, low, two), high2 = multiplyAdd(high2, high, two);
      two = v128.load32_splat(q, 28);
      low3 = multiplyAdd(low3, low, two), high3 = multiplyAdd(high3, high, two);
    }
    if (q == odd) {
      const low = v128.load(at), high = v128.load(at, 16);
      let two = v128.load32_splat(q);
      low0 = multiplyAdd(low0, low, two), high0 = multiplyAdd(high0, high, two);
      two = v128.load32_splat(q, 4);
      low1 = multiplyAdd(low1, low, two), high1 = multiplyAdd(high1, high, two);
      two = v128.load32_splat(q, 8);
      low2 = multiplyAdd(low2, low, two), high2 = multiplyAdd(high2, high, two);
      two = v128.load32_splat(q, 12);
      low3 = multiplyAdd(low3, low, two), high3 = multiplyAdd(high3, high, two);
    }
    v128.store(to, low0), v128.store(to, high0, 16);
    v128.store(to, low1, 32), v128.store(to, high1, 48);
    v128.store(to, low2, 64), v128.store(to, high2, 80);
    v128.store(to, low3, 96), v128.store(to, high3, 112);
  }
  for (let b = 0; b < TILE; b++) finishBlock(search, after(query, b), search.sums + (<usize> b << 5), first, last, base);
}

/** Compares the first query of a tile alone: the batch ends with it. */
function scan1(search: Search, query: Query, values: usize, first: i32, last: i32, base: i32): void {
  const end = values + (<usize> search.features << 3), shift = search.bounds ? UNIT : 0;
  const known = knownFrom(query, base);
  let at = search.packed, to = search.sums;
  for (let j = first; j < last; j += 8) {
    let low = v128.load(at), high = v128.load(at, 16);
    at += 32;
    if (known != 0) {
      low = addKnown(low, known + (<usize> j << 2), shift);
      high = addKnown(high, known + (<usize> j << 2) + 16, shift);
    }
    for (let q = values; q < end; q += 16) {
      const two = v128.load32_splat(q);
      low = multiplyAdd(low, v128.load(at), two);
      high = multiplyAdd(high, v128.load(at, 16), two);
      at += 32;
    }
    v128.store(to, low);
    v128.store(to, high, 16);
    to += 128;
  }
  finishBlock(search, query, search.sums, first, last, base);
}

/** The address of the known part of a segment's distances, 0 if there is none. */
// @ts-ignore: decorator
@inline
function knownFrom(query: Query, base: i32): usize {
  return query.known == 0 ? 0 : query.known + (<usize> base << 2);
}

/** Adds the known part of four distances, rounded down to the unit of the packed distances. */
// @ts-ignore: decorator
@inline
function addKnown(sums: v128, known: usize, shift: i32): v128 {
  return i32x4.add(sums, i32x4.shr_s(v128.load(known), shift));
}

/** Takes the sums of a block, which begin at `at`: writes all distances, or collects those in reach. */
function finishBlock(search: Search, query: Query, at: usize, first: i32, last: i32, base: i32): void {
  if (!search.writesAll) return collect(search, query, at, first, last, base);
  const square = i32x4.splat(query.square);
  for (let to = query.out + (<usize> (base + first) << 2); first < last; first += 8, at += 128, to += 32) {
    const low = i32x4.add(v128.load(at), square), high = i32x4.add(v128.load(at, 16), square);
    v128.store(at, low);
    v128.store(at, high, 16);
    if (last - first < 8) return memory.copy(to, at, <usize> (last - first) << 2);
    v128.store(to, low);
    v128.store(to, high, 16);
  }
}
