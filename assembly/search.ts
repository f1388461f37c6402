// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Exact nearest neighbours over planes, in integers. What makes it fast changes no key:
// - Examples are packed a block at a time, so that all queries of the batch share what it costs to read and scale them.
// - |x - q|^2 = |x|^2 - 2 x q + |q|^2 takes a multiplication and an addition; |x|^2 is packed, too.
// - A sample of the examples tells below which bound the k nearest should lie, so that few others enter the lists. Where it
//   was wrong too few are found, and those queries are searched for again without a bound.
// - Where there are many planes, and a few examples show that it pays, sums of eight of them are packed. Their distance is a
//   lower bound of the distance: what it leaves is compared plane by plane.
import { add, pair } from "./lanes";

/** Queries a pass: eight accumulators, which is what sixteen 128-bit registers hold beside the data. */
const TILE: i32 = 4;
/** From so many planes on, sums of so many are packed; of fewer (digits have 26), the bounds cost more than they save. */
const MANY: i32 = 64, GROUP: i32 = 8;
/** So many examples tell, for two queries, how much sums see; the part of all examples that may be left if they see all. */
const TRIED: i32 = 16, PAYING: f64 = 0.01;
/** Bytes of packed examples, which stay in the first level cache. */
const BLOCK: i32 = 16384;
/** Every so many-th block is the sample. */
const SAMPLE: i32 = 16;

/**
 * Rounds the queries of a batch to the integers that `search` compares: 255 * scale * value, rounded half up.
 * `images` holds `batch` f32 images of `pixels` values in [0, 1] (clamped), `at` the `planes` pixel numbers of the query and
 * `scale` their i16 scales; `out` takes `batch` x `planes` i16.
 */
export function toQueries(
  images: usize,
  pixels: i32,
  batch: i32,
  at: usize,
  scale: usize,
  planes: i32,
  out: usize,
): void {
  for (let b = 0; b < batch; b++) {
    for (let p = 0; p < planes; p++) {
      const pixel = load<u32>(at + (<usize> p << 2));
      const value = load<f32>(images + (<usize> (b * pixels + pixel) << 2));
      const unit = min<f32>(max<f32>(value, 0.0), 1.0);
      const most = 255 * <i32> load<i16>(scale + (<usize> p << 1));
      const scaled = Mathf.floor(unit * <f32> most + 0.5);
      store<i16>(out + (<usize> (b * planes + p) << 1), <i16> scaled);
    }
  }
}

// The question that is being answered: an instance has one thread.
let planes: i32 = 0, count: i32 = 0, batch: i32 = 0, table: usize = 0, scale: usize = 0;
/** How many planes a feature is the sum of (1: it is the plane), and how many features are packed. */
let group: i32 = 0, features: i32 = 0;
/** How many of the nearest a list is cut back to. */
let kept: i32 = 0;
/** Examples of a block, blocks of a segment. */
let length: i32 = 0, inSegment: i32 = 0;
/** Where the queries' states, their features, the features' factors and the packed examples are. */
let states: usize = 0, wanted: usize = 0, factors: usize = 0, packed: usize = 0;

// A query's state. Keys are appended to its list and, when there are many, cut back, which lowers the bound.
const LENGTH: usize = 0; // u32: keys in the list
const BOUND: usize = 4; // i32: only smaller distances may enter
const REACH: usize = 8; // i32: of an example within the bound, packed distance - SQUARE is smaller
const SQUARE: usize = 12; // i32: the sum of the squares of the query's features
const KEYS: usize = 16; // the list's address
const QUERY: usize = 20; // the query's address
const STATE: usize = 24;

/**
 * For each query of a batch the `k` examples nearest by sum over planes of (scale * example - query)^2, as u64 keys
 * distance << 32 | index in ascending order (ties go to the lower index); index = segment * count + example.
 *
 * `table`: `segments` x `planes` u32 addresses of planes of `count` bytes, readable up to the next multiple of 8;
 * `scale`: `planes` i16 in 0..64 (twice 255 * scale must fit an i16), with sum(scale^2) * 255^2 < 2^31 - 1; `queries`:
 * `batch` x `planes` i16 in 0..255 * scale. `planes` is even (pad with scale 0). Search is fastest where planes that follow
 * each other are alike and of one scale. `scratch` has room for `searchScratch(planes, batch, k)` bytes (core/kernels.ts),
 * `out` for `batch` x `k` keys. Returns how many keys each query got: min(k, segments * count).
 */
export function search(
  tableOfPlanes: usize,
  scales: usize,
  queries: usize,
  planesOfEach: i32,
  countOfEach: i32,
  segments: i32,
  queryCount: i32,
  k: i32,
  scratch: usize,
  out: usize,
): i32 {
  const found = min<i32>(k, segments * countOfEach);
  if (found == 0) return 0;
  table = tableOfPlanes;
  scale = scales;
  planes = planesOfEach;
  count = countOfEach;
  batch = queryCount;
  group = planes >= MANY && sumsPay(queries, segments, <f64> found / <f64> (segments * count)) ? GROUP : 1;
  features = ((planes + group - 1) / group + 1) & ~1;
  length = 8 * max<i32>(1, BLOCK / (32 + 16 * features));
  inSegment = (count + length - 1) / length;

  const padded = (batch + TILE - 1) & ~(TILE - 1), width = <usize> features << 1, room = <usize> (2 * k + 64) << 3;
  states = scratch;
  factors = states + <usize> padded * STATE;
  wanted = factors + width;
  const lists = (wanted + <usize> padded * width + 15) & ~15;
  packed = lists + <usize> padded * room;
  if (group > 1) toFactors();
  for (let b = 0; b < padded; b++) {
    const state = states + <usize> b * STATE, query = queries + (<usize> (min(b, batch - 1) * planes) << 1);
    store<usize>(state, lists + <usize> b * room, KEYS);
    store<usize>(state, query, QUERY);
    store<i32>(state, toFeatures(query, wanted + <usize> (b - b % TILE) * width + (<usize> (b % TILE) << 2)), SQUARE);
    open(state, b < batch ? i32.MAX_VALUE : 0); // to what stands in beyond the batch, nothing is near enough
  }

  const blocks = inSegment * segments;
  if (blocks >= 2 * SAMPLE) {
    // Of the nearest, the sample has its share, give or take: four standard deviations more are hardly ever too few.
    const share = <f64> found / <f64> SAMPLE;
    kept = min(found, <i32> (share + 4.0 * Math.sqrt(share) + 2.0));
    for (let block = SAMPLE >> 1; block < blocks; block += SAMPLE) visit(block);
    for (let b = 0; b < batch; b++) {
      const state = states + <usize> b * STATE;
      const enough = <i32> load<u32>(state, LENGTH) >= kept;
      if (enough) cut(state);
      open(state, enough ? load<i32>(state, BOUND) + 1 : i32.MAX_VALUE);
    }
  }
  kept = found;
  for (let block = 0; block < blocks; block++) visit(block);
  let missed = false;
  for (let b = 0; b < batch; b++) {
    const state = states + <usize> b * STATE;
    if (<i32> load<u32>(state, LENGTH) >= found) {
      finish(state, out + (<usize> (b * k) << 3));
      open(state, 0);
    } else {
      open(state, i32.MAX_VALUE);
      missed = true;
    }
  }
  if (missed) {
    for (let block = 0; block < blocks; block++) visit(block);
    for (let b = 0; b < batch; b++) {
      const state = states + <usize> b * STATE;
      if (load<u32>(state, LENGTH) > 0) finish(state, out + (<usize> (b * k) << 3));
    }
  }
  return found;
}

/**
 * Whether sums of planes leave so few examples that they pay: `part` of all are to be found. A few examples tell which part of
 * a distance the sums see. Where that is little, examples look near that are not, the more the farther it is below 1: about as
 * the fifth power (measured on faces, digits and textures, for which this chooses the faster way). Of eight that lie together
 * one must not be near, or all are compared.
 */
function sumsPay(queries: usize, segments: i32, part: f64): bool {
  let seen = 0.0, all = 0.0;
  for (let t = 0; t < min(2, batch); t++) {
    const query = queries + (<usize> (t * (batch - 1) * planes) << 1);
    for (let i = 0; i < TRIED; i++) {
      // Two times eight that lie together: others would each be a cache line of every plane.
      const place = (i >> 3) * 2 + 1, j = min((count * place >> 2) + (i & 7), count - 1);
      const addresses = table + (<usize> ((place * segments >> 2) * planes) << 2);
      for (let first = 0; first < planes; first += GROUP) {
        let sum = 0, distance = 0;
        for (let p = first; p < min(first + GROUP, planes); p++) {
          const byte = <i32> load<u8>(load<u32>(addresses + (<usize> p << 2)) + j);
          const by = <i32> load<i16>(scale + (<usize> p << 1)), value = <i32> load<i16>(query + (<usize> p << 1));
          const difference = by * byte - value;
          distance += difference * difference;
          sum += difference;
        }
        // As if a group's scales were all the same, which they mostly are: it is a guess, not a bound.
        seen += <f64> sum * <f64> sum / <f64> GROUP;
        all += <f64> distance;
      }
    }
  }
  const ratio = all > 0.0 ? seen / all : 1.0, squared = ratio * ratio;
  return part <= PAYING * squared * squared * ratio;
}

/** Compares the examples of a block with all queries. */
function visit(block: i32): void {
  const segment = block / inSegment, first = (block - segment * inSegment) * length, last = min(first + length, count);
  const addresses = table + (<usize> (segment * planes) << 2);
  if (group == 1) pack(addresses, first, last);
  else packSums(addresses, first, last);
  for (let b = 0; b < batch; b += TILE) {
    const state = states + <usize> b * STATE, query = wanted + (<usize> (b * features) << 1);
    if (b + 1 < batch) scan4(state, query, addresses, first, last, segment * count);
    else scan1(state, query, addresses, first, last, segment * count);
  }
}

// Packed, eight examples take 32 bytes for the sums of their features' squares and 32 for each pair of features, of which a
// lane holds (example, feature) and (example, next feature) as i16.

/** Packs the planes themselves. */
function pack(addresses: usize, first: i32, last: i32): void {
  const end = scale + (<usize> planes << 1);
  let to = packed;
  for (let j = first; j < last; j += 8) {
    let squaresLow = i32x4.splat(0), squaresHigh = squaresLow, plane = addresses, at = to + 32;
    for (let s = scale; s < end; s += 4) {
      const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j), by = v128.load32_splat(s);
      const low = i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by);
      const high = i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by);
      v128.store(at, low);
      v128.store(at, high, 16);
      squaresLow = multiplyAdd(squaresLow, low, low);
      squaresHigh = multiplyAdd(squaresHigh, high, high);
      plane += 8;
      at += 32;
    }
    v128.store(to, squaresLow);
    v128.store(to, squaresHigh, 16);
    to = at;
  }
}

// A group of g planes with scales s_p of which s is the least (above 0) has the feature F = s / (2 g) * sum of x_p. That of
// the query is s / (2 g) * sum of q_p / s_p, so that by the inequality of Cauchy and Schwarz
//   sum of (s_p x_p - q_p)^2 >= s^2 / g * (sum of x_p - q_p / s_p)^2 = 4 g (F - F_q)^2.
// Both are rounded, which moves their difference by 1 at the most, and the distance of n features by sqrt(n).

/** The factors of the sums as `packSums` multiplies by them: 128 s; 0 where a plane does not count. */
function toFactors(): void {
  for (let f = 0; f < features; f++) {
    let least = f * group < planes ? 128 : 0;
    for (let p = f * group; p < min((f + 1) * group, planes); p++) {
      least = min(least, <i32> load<i16>(scale + (<usize> p << 1)));
    }
    store<i16>(factors + (<usize> f << 1), <i16> (least << 7));
  }
}

/** Packs the features of groups. */
function packSums(addresses: usize, first: i32, last: i32): void {
  const end = addresses + (<usize> planes << 2), stop = factors + (<usize> features << 1);
  let to = packed;
  for (let j = first; j < last; j += 8) {
    let squaresLow = i32x4.splat(0), squaresHigh = squaresLow, plane = addresses, at = to + 32;
    for (let factor = factors; factor < stop; factor += 4) {
      const middle = min(plane + 4 * GROUP, end), next = min(middle + 4 * GROUP, end);
      const a = feature(plane, middle, j, factor), b = feature(middle, next, j, factor + 2);
      const low = i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      const high = i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
      v128.store(at, low);
      v128.store(at, high, 16);
      squaresLow = multiplyAdd(squaresLow, low, low);
      squaresHigh = multiplyAdd(squaresHigh, high, high);
      plane = next;
      at += 32;
    }
    v128.store(to, squaresLow);
    v128.store(to, squaresHigh, 16);
    to = at;
  }
}

/** One feature of eight examples: 16 * sum * 128 s / 2^15 = s / 16 * sum, rounded. */
// @ts-ignore: decorator
@inline
function feature(plane: usize, end: usize, j: i32, factor: usize): v128 {
  let sum = i16x8.splat(0);
  for (; plane < end; plane += 4) sum = i16x8.add(sum, v128.load8x8_u(load<u32>(plane) + j));
  return i16x8.q15mulr_sat_s(i16x8.shl(sum, 4), v128.load16_splat(factor));
}

/** Writes -2 x a query's features, each pair 16 bytes from the last: a tile's queries take turns. Returns the sum of their squares. */
function toFeatures(query: usize, to: usize): i32 {
  let square = 0;
  for (let f = 0; f < features; f++) {
    let value = 0;
    if (group == 1) {
      value = <i32> load<i16>(query + (<usize> f << 1));
    } else {
      const least = <i32> load<i16>(factors + (<usize> f << 1)) >> 7;
      let sum = 0.0;
      for (let p = f * group; least > 0 && p < min((f + 1) * group, planes); p++) {
        sum += <f64> load<i16>(query + (<usize> p << 1)) / <f64> load<i16>(scale + (<usize> p << 1));
      }
      value = <i32> Math.floor(sum * <f64> least / <f64> (2 * group) + 0.5);
    }
    square += value * value;
    store<i16>(to + (<usize> (f >> 1) << 4) + (<usize> (f & 1) << 1), <i16> (-2 * value));
  }
  return square;
}

// @ts-ignore: decorator
@inline
function multiplyAdd(sum: v128, a: v128, b: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(a, b));
}

/** Four queries against the packed examples `first` to `last`; `base` is the segment's first index. */
function scan4(state: usize, query: usize, addresses: usize, first: i32, last: i32, base: i32): void {
  const end = query + (<usize> features << 3);
  let at = packed;
  for (let j = first; j < last; j += 8) {
    let low0 = v128.load(at), low1 = low0, low2 = low0, low3 = low0;
    let high0 = v128.load(at, 16), high1 = high0, high2 = high0, high3 = high0;
    at += 32;
    for (let q = query; q < end; q += 16) {
      const low = v128.load(at), high = v128.load(at, 16);
      let two = v128.load32_splat(q);
      low0 = multiplyAdd(low0, low, two);
      high0 = multiplyAdd(high0, high, two);
      two = v128.load32_splat(q, 4);
      low1 = multiplyAdd(low1, low, two);
      high1 = multiplyAdd(high1, high, two);
      two = v128.load32_splat(q, 8);
      low2 = multiplyAdd(low2, low, two);
      high2 = multiplyAdd(high2, high, two);
      two = v128.load32_splat(q, 12);
      low3 = multiplyAdd(low3, low, two);
      high3 = multiplyAdd(high3, high, two);
      at += 32;
    }
    take(state, low0, high0, addresses, j, base, last);
    take(state + STATE, low1, high1, addresses, j, base, last);
    take(state + 2 * STATE, low2, high2, addresses, j, base, last);
    take(state + 3 * STATE, low3, high3, addresses, j, base, last);
  }
}

/** The same for the first query of a tile alone. */
function scan1(state: usize, query: usize, addresses: usize, first: i32, last: i32, base: i32): void {
  const end = query + (<usize> features << 3);
  let at = packed;
  for (let j = first; j < last; j += 8) {
    let low = v128.load(at), high = v128.load(at, 16);
    at += 32;
    for (let q = query; q < end; q += 16) {
      const two = v128.load32_splat(q);
      low = multiplyAdd(low, v128.load(at), two);
      high = multiplyAdd(high, v128.load(at, 16), two);
      at += 32;
    }
    take(state, low, high, addresses, j, base, last);
  }
}

/** Takes in eight packed distances (less `SQUARE`): most are out of reach. */
// @ts-ignore: decorator
@inline
function take(state: usize, low: v128, high: v128, addresses: usize, j: i32, base: i32, last: i32): void {
  const reach = v128.load32_splat(state, REACH);
  if (v128.any_true(v128.or(i32x4.lt_s(low, reach), i32x4.lt_s(high, reach)))) {
    if (group > 1) {
      compare(state, addresses, j, base + j, last - j);
    } else {
      const square = v128.load32_splat(state, SQUARE);
      append(state, i32x4.add(low, square), i32x4.add(high, square), base + j, last - j);
    }
  }
}

/** Compares eight examples with a query plane by plane, as far as one of them may be near. */
function compare(state: usize, addresses: usize, j: i32, index: i32, left: i32): void {
  const end = scale + (<usize> planes << 1), bound = v128.load32_splat(state, BOUND);
  let low = i32x4.splat(0), high = low, plane = addresses, query = load<usize>(state, QUERY);
  for (let s = scale; s < end;) {
    for (const stop = min(s + 8 * GROUP, end); s < stop; s += 4) {
      const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j), by = v128.load32_splat(s);
      const two = v128.load32_splat(query);
      low = add(low, i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by), two);
      high = add(high, i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by), two);
      plane += 8;
      query += 4;
    }
    if (!v128.any_true(v128.or(i32x4.lt_s(low, bound), i32x4.lt_s(high, bound)))) return;
  }
  append(state, low, high, index, left);
}

/** Starts a query's list: empty, for distances below `bound`. */
function open(state: usize, bound: i32): void {
  store<u32>(state, 0, LENGTH);
  limit(state, bound);
}

/** Sets a query's bound and what follows from it. */
function limit(state: usize, bound: i32): void {
  store<i32>(state, bound, BOUND);
  const square = load<i32>(state, SQUARE);
  if (bound == 0 || group == 1) {
    // Distances are 0 or more, and a packed one less SQUARE is above -SQUARE - 1: nothing is in reach of a bound of 0.
    store<i32>(state, bound - square, REACH);
  } else {
    const most = Math.sqrt(<f64> bound / <f64> (4 * group)) + Math.sqrt(<f64> features);
    store<i32>(state, <i32> min(most * most + 1.0, <f64> i32.MAX_VALUE) - square, REACH);
  }
}

/** Appends the examples (eight from `index` on, of which `left` are the segment's) whose distances are below the bound. */
function append(state: usize, low: v128, high: v128, index: i32, left: i32): void {
  const bound = v128.load32_splat(state, BOUND);
  let near = i32x4.bitmask(i32x4.lt_s(low, bound)) | i32x4.bitmask(i32x4.lt_s(high, bound)) << 4;
  if (left < 8) near &= (1 << left) - 1;
  if (near == 0) return;
  const keys = load<usize>(state, KEYS), before = load<u32>(state, LENGTH);
  let at = keys + (<usize> before << 3);
  at = push(at, i32x4.extract_lane(low, 0), index, near & 1);
  at = push(at, i32x4.extract_lane(low, 1), index + 1, near & 2);
  at = push(at, i32x4.extract_lane(low, 2), index + 2, near & 4);
  at = push(at, i32x4.extract_lane(low, 3), index + 3, near & 8);
  at = push(at, i32x4.extract_lane(high, 0), index + 4, near & 16);
  at = push(at, i32x4.extract_lane(high, 1), index + 5, near & 32);
  at = push(at, i32x4.extract_lane(high, 2), index + 6, near & 64);
  at = push(at, i32x4.extract_lane(high, 3), index + 7, near & 128);
  const now = <i32> ((at - keys) >> 3);
  store<u32>(state, now, LENGTH);
  if (now > kept + (kept >> 1) + 2) cut(state);
}

/** Writes a key, which counts where `near` is not 0; returns where the next one goes. */
// @ts-ignore: decorator
@inline
function push(at: usize, distance: i32, index: i32, near: i32): usize {
  store<u64>(at, (<u64> <u32> distance << 32) | <u64> <u32> index);
  return at + (<usize> (near != 0) << 3);
}

/** Keeps the `kept` smallest keys, in no order, and lowers the bound to the largest distance kept. */
function cut(state: usize): void {
  const keys = load<usize>(state, KEYS);
  select(keys, <i32> load<u32>(state, LENGTH), kept);
  let largest: u64 = 0;
  for (let i = 0; i < kept; i++) largest = max(largest, load<u64>(keys + (<usize> i << 3)));
  store<u32>(state, kept, LENGTH);
  limit(state, <i32> (largest >> 32));
}

/** Moves the k smallest of `length` keys to the front (Hoare's selection). Keys are all different. */
function select(keys: usize, length: i32, k: i32): void {
  let left = 0, right = length - 1;
  while (left < right) {
    const pivot = load<u64>(keys + (<usize> (k - 1) << 3));
    let i = left, j = right;
    do {
      while (load<u64>(keys + (<usize> i << 3)) < pivot) i++;
      while (pivot < load<u64>(keys + (<usize> j << 3))) j--;
      if (i <= j) {
        const a = keys + (<usize> i << 3), c = keys + (<usize> j << 3);
        const swap = load<u64>(a);
        store<u64>(a, load<u64>(c));
        store<u64>(c, swap);
        i++;
        j--;
      }
    } while (i <= j);
    if (j < k - 1) left = i;
    if (k - 1 < i) right = j;
  }
}

/** Copies a list's `kept` smallest keys to `out` in ascending order (Shell's sort: the lists are short). */
function finish(state: usize, out: usize): void {
  const keys = load<usize>(state, KEYS);
  select(keys, <i32> load<u32>(state, LENGTH), kept);
  memory.copy(out, keys, <usize> kept << 3);
  let gap = 1;
  while (gap < kept / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < kept; i++) {
      const key = load<u64>(out + (<usize> i << 3));
      let j = i;
      while (j >= gap && load<u64>(out + (<usize> (j - gap) << 3)) > key) {
        store<u64>(out + (<usize> j << 3), load<u64>(out + (<usize> (j - gap) << 3)));
        j -= gap;
      }
      store<u64>(out + (<usize> j << 3), key);
    }
  }
}
