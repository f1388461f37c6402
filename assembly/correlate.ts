// deno-fmt-ignore-file: the formatter drops decorators, and without @inline this search is slower, too.
// Nearest neighbours by correlation: mean and contrast are taken out of both patches before they are compared.
//
//   d = s^2 sum_p w_p ((Y_p - m) / s - (y_p - m_j) / s_j)^2
//
// w_p are integers, m and m_j weighted means, s and s_j weighted standard deviations plus FLAT, all in grey levels. With the
// integers S0 = sum w, S1 = sum w y, S2 = sum w y^2 of an example and C = sum q y, where q_p are the numbers w_p (Y_p - m) rounded
// so that they sum to 0, E = sum w (Y - m)^2 and v_j = S2 / S0 - (S1 / S0)^2,
//
//   d = E + s (s S0 v_j / s_j^2 - 2 C / s_j).
//
// S0, S1, S2 and C are exact. What follows from them takes few operations in f64 and f32, in one order, the same on every engine.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Correlation } from "./descriptors";
import { multiplyAdd, pair } from "./lanes";
import { select, sort } from "./search/select";

/** Examples that are packed together: of 64 planes they take 16 KiB, which stays in the first cache for all queries. */
const BLOCK: i32 = 128;
/** Bytes of a block's norms, then of its inverses. */
const NUMBERS: usize = <usize> BLOCK << 2;
/** What is added to a standard deviation: 0.02 of the range. Without it the noise of flat patches would decide. */
const FLAT: f64 = 5.1;

/** The sum of the weights. */
// @ts-ignore: decorator
@inline
export function totalWeight(given: Correlation): i32 {
  let total = 0;
  for (let p = 0; p < given.planes; p++) total += <i32> load<i16>(given.pixelWeights + (<usize> p << 1));
  return total;
}

/** v_j: the weighted variance of an example. The numerator is exact. */
// @ts-ignore: decorator
@inline
export function variance(sum: i32, squares: i32, total: i32): f64 {
  const all = <f64> total;
  return (all * <f64> squares - <f64> sum * <f64> sum) / (all * all);
}

/** 1 / s_j. */
// @ts-ignore: decorator
@inline
export function inverseOf(variance: f64): f32 {
  const inverse = 1.0 / (Math.sqrt(variance) + FLAT);
  return <f32> inverse;
}

/** S0 v_j / s_j^2. */
// @ts-ignore: decorator
@inline
export function normOf(variance: f64, total: i32): f32 {
  const deviation = Math.sqrt(variance) + FLAT, norm = <f64> total * variance / (deviation * deviation);
  return <f32> norm;
}

/** d, in squared grey levels times weights; `product` is C, `deviation` s and `energy` E. `distances` does the same in lanes. */
// @ts-ignore: decorator
@inline
export function distance(product: i32, inverse: f32, norm: f32, deviation: f32, energy: f32): f32 {
  const cross = <f32> product * inverse;
  return max<f32>(energy + deviation * (deviation * norm - (cross + cross)), 0.0);
}

/**
 * Writes the queries q of a batch, and s and E of each. `images`: `batch` x `pixels` f32, clamped to [0, 1]; `home`: the segment
 * whose numbers are those of the query's pixels.
 */
export function toDeviations(given: Correlation, images: usize, home: i32): void {
  const planes = given.planes, weights = given.pixelWeights;
  const numbers = given.numbers + (<usize> (home * planes) << 2), total = <f64> totalWeight(given);
  for (let b = 0; b < given.batch; b++) {
    const image = images + (<usize> (b * given.pixels) << 2), query = given.queries + (<usize> (b * planes) << 1);
    let sum = 0.0;
    for (let p = 0; p < planes; p++) sum += weightAt(weights, p) * levelAt(image, numbers, p);
    const mean = sum / total;
    // The rounded sums differ by the queries: these add up to 0 as the deviations do, so that an example's mean drops out of C.
    let energy = 0.0, running = 0.0, before = 0;
    for (let p = 0; p < planes; p++) {
      const deviation = levelAt(image, numbers, p) - mean, weighted = weightAt(weights, p) * deviation;
      energy += weighted * deviation;
      running += weighted;
      const rounded = <i32> Math.floor(running + 0.5);
      store<i16>(query + (<usize> p << 1), <i16> (rounded - before));
      before = rounded;
    }
    const contrast = given.contrasts + (<usize> b << 3), deviation = Math.sqrt(energy / total) + FLAT;
    store<f32>(contrast, <f32> deviation);
    store<f32>(contrast, <f32> energy, 4);
  }
}

// @ts-ignore: decorator
@inline
function weightAt(weights: usize, p: i32): f64 {
  return <f64> load<i16>(weights + (<usize> p << 1));
}

/** A pixel in grey levels. */
// @ts-ignore: decorator
@inline
function levelAt(image: usize, numbers: usize, p: i32): f64 {
  const value = load<f32>(image + (<usize> load<u32>(numbers + (<usize> p << 2)) << 2));
  return 255.0 * <f64> min<f32>(max<f32>(value, 0.0), 1.0);
}

/**
 * For each query of a batch the `k` examples of the least distance d, as u64 keys (bits of d as f32) << 32 | index in ascending
 * order (ties go to the lower index); index = segment * count + example. `out` has room for `batch` x `k` keys. Returns how many
 * keys each query got: min(k, segments * count).
 */
export function correlate(given: Correlation, k: i32, out: usize): i32 {
  const count = given.count, batch = given.batch, total = totalWeight(given), found = min<i32>(k, given.segments * count);
  if (found == 0) return 0;
  const lists = listsOf(given), inList = <usize> roomFor(k) << 3;
  for (let b = 0; b < batch; b++) {
    store<i32>(headOf(given, b), 0);
    store<f32>(headOf(given, b), Infinity, 4);
  }
  for (let segment = 0; segment < given.segments; segment++) {
    for (let first = 0; first < count; first += BLOCK) {
      const last = min(first + BLOCK, count);
      pack(given, segment, first, last, total);
      let b = 0;
      for (; b + 4 <= batch; b += 4) scan4(given, b, segment * count, first, last, found, lists, inList);
      for (; b < batch; b++) scan1(given, b, segment * count, first, last, found, lists, inList);
    }
  }
  for (let b = 0; b < batch; b++) {
    const list = lists + <usize> b * inList, length = load<i32>(headOf(given, b));
    if (length > found) select(list, length, found);
    sort(list, found, lists + <usize> batch * inList + 32);
    memory.copy(out + (<usize> (b * k) << 3), list, <usize> found << 3);
  }
  return found;
}

// The scratch holds the packed block, its norms and inverses, a head (length, reach) and a list of keys for each query,
// eight distances, and room to sort a list. `correlationScratch` (core/kernel_limits.ts) adds up the same bytes.

/** Where the norms of the packed block lie; its inverses follow. */
// @ts-ignore: decorator
@inline
function normsOf(given: Correlation): usize {
  return given.scratch + (<usize> (BLOCK * given.planes) << 1);
}

// @ts-ignore: decorator
@inline
function headOf(given: Correlation, b: i32): usize {
  return normsOf(given) + 2 * NUMBERS + 64 + (<usize> b << 3);
}

// @ts-ignore: decorator
@inline
function listsOf(given: Correlation): usize {
  return headOf(given, given.batch);
}

/** Keys that a list has room for: it is cut back to `k` when it is full. */
// @ts-ignore: decorator
@inline
function roomFor(k: i32): i32 {
  return k + (k >> 1) + 16;
}

/**
 * Packs examples `first` to `last` - 1 of a segment, eight at a time, 32 bytes for each pair of planes: i16 lanes (example,
 * plane), (example, next plane), (next example, plane)... Writes their norms and inverses.
 */
function pack(given: Correlation, segment: i32, first: i32, last: i32, total: i32): void {
  const planes = given.planes, numbers = given.numbers + (<usize> (segment * planes) << 2), lr = given.lr;
  const stride = <usize> given.stride, norms = normsOf(given), eight = norms + 2 * NUMBERS;
  let to = given.scratch;
  for (let j = first; j < last; j += 8) {
    let sum0 = i32x4.splat(0), sum1 = sum0, square0 = sum0, square1 = sum0;
    for (let p = 0; p < planes; p += 2, to += 32) {
      const at = numbers + (<usize> p << 2);
      const bytes = pair(lr + <usize> load<u32>(at) * stride + j, lr + <usize> load<u32>(at, 4) * stride + j);
      const low = i16x8.extend_low_i8x16_u(bytes), high = i16x8.extend_high_i8x16_u(bytes);
      const by = v128.load32_splat(given.pixelWeights + (<usize> p << 1));
      v128.store(to, low);
      v128.store(to, high, 16);
      const weighted0 = i16x8.mul(low, by), weighted1 = i16x8.mul(high, by);
      sum0 = multiplyAdd(sum0, low, by);
      sum1 = multiplyAdd(sum1, high, by);
      square0 = multiplyAdd(square0, low, weighted0);
      square1 = multiplyAdd(square1, high, weighted1);
    }
    v128.store(eight, sum0);
    v128.store(eight, sum1, 16);
    v128.store(eight, square0, 32);
    v128.store(eight, square1, 48);
    for (let lane: usize = 0; lane < 8; lane++) {
      const v = variance(load<i32>(eight + (lane << 2)), load<i32>(eight + (lane << 2), 32), total);
      const at = norms + ((<usize> (j - first) + lane) << 2);
      store<f32>(at, normOf(v, total));
      store<f32>(at, inverseOf(v), NUMBERS);
    }
  }
}

/** Compares a tile of four queries with the packed examples; `base` is the segment's first index. */
function scan4(given: Correlation, b: i32, base: i32, first: i32, last: i32, k: i32, lists: usize, inList: usize): void {
  const length = <usize> given.planes << 1, query = given.queries + <usize> b * length;
  let at = given.scratch;
  for (let j = first; j < last; j += 8) {
    let low0 = i32x4.splat(0), low1 = low0, low2 = low0, low3 = low0;
    let high0 = low0, high1 = low0, high2 = low0, high3 = low0;
    let q1 = query + length, q2 = q1 + length, q3 = q2 + length;
    for (let q0 = query, end = query + length; q0 < end; q0 += 4, q1 += 4, q2 += 4, q3 += 4, at += 32) {
      const low = v128.load(at), high = v128.load(at, 16);
      let two = v128.load32_splat(q0);
      low0 = multiplyAdd(low0, low, two);
      high0 = multiplyAdd(high0, high, two);
      two = v128.load32_splat(q1);
      low1 = multiplyAdd(low1, low, two);
      high1 = multiplyAdd(high1, high, two);
      two = v128.load32_splat(q2);
      low2 = multiplyAdd(low2, low, two);
      high2 = multiplyAdd(high2, high, two);
      two = v128.load32_splat(q3);
      low3 = multiplyAdd(low3, low, two);
      high3 = multiplyAdd(high3, high, two);
    }
    collect(given, b, low0, high0, j, first, base, last, k, lists + <usize> b * inList);
    collect(given, b + 1, low1, high1, j, first, base, last, k, lists + <usize> (b + 1) * inList);
    collect(given, b + 2, low2, high2, j, first, base, last, k, lists + <usize> (b + 2) * inList);
    collect(given, b + 3, low3, high3, j, first, base, last, k, lists + <usize> (b + 3) * inList);
  }
}

/** Compares one query with the packed examples. */
function scan1(given: Correlation, b: i32, base: i32, first: i32, last: i32, k: i32, lists: usize, inList: usize): void {
  const length = <usize> given.planes << 1, query = given.queries + <usize> b * length;
  let at = given.scratch;
  for (let j = first; j < last; j += 8) {
    let low = i32x4.splat(0), high = low;
    for (let q = query, end = query + length; q < end; q += 4, at += 32) {
      const two = v128.load32_splat(q);
      low = multiplyAdd(low, v128.load(at), two);
      high = multiplyAdd(high, v128.load(at, 16), two);
    }
    collect(given, b, low, high, j, first, base, last, k, lists + <usize> b * inList);
  }
}

/** d of four examples: `distance` in lanes. */
// @ts-ignore: decorator
@inline
function distances(products: v128, inverses: v128, norms: v128, deviation: v128, energy: v128): v128 {
  const cross = f32x4.mul(f32x4.convert_i32x4_s(products), inverses);
  const inner = f32x4.sub(f32x4.mul(deviation, norms), f32x4.add(cross, cross));
  return f32x4.max(f32x4.add(energy, f32x4.mul(deviation, inner)), f32x4.splat(0));
}

/** Appends those of eight examples, from `j` on, that are in reach. Most are not. */
// @ts-ignore: decorator
@inline
function collect(given: Correlation, b: i32, low: v128, high: v128, j: i32, first: i32, base: i32, last: i32, k: i32, list: usize): void {
  const norms = normsOf(given) + (<usize> (j - first) << 2), contrast = given.contrasts + (<usize> b << 3);
  const deviation = v128.load32_splat(contrast), energy = v128.load32_splat(contrast, 4), head = headOf(given, b);
  const a = distances(low, v128.load(norms, NUMBERS), v128.load(norms), deviation, energy);
  const c = distances(high, v128.load(norms, NUMBERS + 16), v128.load(norms, 16), deviation, energy);
  const reach = v128.load32_splat(head, 4), nearLow = f32x4.lt(a, reach), nearHigh = f32x4.lt(c, reach);
  if (v128.any_true(v128.or(nearLow, nearHigh))) {
    const near = i32x4.bitmask(nearLow) | i32x4.bitmask(nearHigh) << 4, eight = normsOf(given) + 2 * NUMBERS;
    v128.store(eight, a);
    v128.store(eight, c, 16);
    appendEach(head, list, eight, last - j < 8 ? near & ((1 << (last - j)) - 1) : near, base + j, k);
  }
}

/** Appends the examples of a mask to a list. A list that is full is cut back to the `k` nearest, and its reach to the last of them. */
function appendEach(head: usize, list: usize, eight: usize, near: i32, index: i32, k: i32): void {
  let length = load<i32>(head);
  for (; near != 0; near &= near - 1) {
    const lane = ctz(near), distance = load<u32>(eight + (<usize> lane << 2));
    store<u64>(list + (<usize> length << 3), (<u64> distance << 32) | <u64> (index + lane));
    length++;
    if (length < roomFor(k)) continue;
    select(list, length, k);
    length = k;
    let farthest: u64 = 0;
    for (let i = 0; i < k; i++) farthest = max(farthest, load<u64>(list + (<usize> i << 3)));
    // A later example at the same distance has a higher index: it stays out.
    store<u32>(head, <u32> (farthest >> 32), 4);
  }
  store<i32>(head, length);
}
