// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Exact nearest neighbours over planes, in integers. What makes it fast changes no key:
// - Examples are packed a block at a time, so that all queries of the batch share what it costs to read and scale them.
// - |x - q|^2 = |x|^2 - 2 x q + |q|^2 takes a multiplication and an addition; |x|^2 is packed, too.
// - A sample of the examples tells below which bound the k nearest should lie, so that few others enter the lists. Where it
//   was wrong too few are found, and those queries are searched for again without a bound.
// - Where examples are given as runs, too, and a few of them show that it pays, sums of eight planes are packed. Their distance
//   is a lower bound of the distance. What it leaves waits: those with the least bounds are compared first, run by run, and
//   make most of the others' comparison needless. What was near at the neighbouring location bounds them from the start.
// - The part of the distances that many locations share (`known`) is summed once, by `addDistances`.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Comparison } from "./descriptors";
import { pair } from "./lanes";

/** Queries a pass: eight accumulators, which is what sixteen 128-bit registers hold beside the data. */
const TILE: i32 = 4;
/** Sums of so many planes are packed. */
const GROUP: i32 = 8;
/** The unit of their distances, 4 x `GROUP`, is 2 to this power. */
const UNIT: i32 = 5;
/** The part of all examples that may be left to compare, for each plane, if sums see whole distances. */
const PAYING: f64 = 0.0001;
/** Runs that are compared before the sum is looked at. */
const STEP: usize = 20;
/** How many examples may wait for their comparison, beside four for each that is to be found (as `searchScratch` has it). */
const WAITING: i32 = 96;
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
    const image = images + (<usize> (b * pixels) << 2), to = out + (<usize> (b * planes) << 1);
    let p: usize = 0;
    for (; p + 4 <= <usize> planes; p += 4) {
      let values = v128.load32_zero(valueAt(image, at, p));
      values = v128.load32_lane(valueAt(image, at, p + 1), values, 1);
      values = v128.load32_lane(valueAt(image, at, p + 2), values, 2);
      values = v128.load32_lane(valueAt(image, at, p + 3), values, 3);
      v128.store64_lane(to + (p << 1), rounded(values, v128.load64_zero(scale + (p << 1))), 0);
    }
    for (; p < <usize> planes; p++) {
      const value = v128.load32_zero(valueAt(image, at, p));
      v128.store16_lane(to + (p << 1), rounded(value, v128.load16_splat(scale + (p << 1))), 0);
    }
  }
}

/** The address of a query's value p. */
// @ts-ignore: decorator
@inline
function valueAt(image: usize, at: usize, p: usize): usize {
  return image + (<usize> load<u32>(at + (p << 2)) << 2);
}

/** Four values as integers: i16 in the low half, by i16 scales in the low half. */
// @ts-ignore: decorator
@inline
function rounded(values: v128, scales: v128): v128 {
  const units = f32x4.min(f32x4.max(values, f32x4.splat(0)), f32x4.splat(1));
  const most = f32x4.convert_i32x4_s(i32x4.mul(i32x4.extend_low_i16x8_s(scales), i32x4.splat(255)));
  const scaled = i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.add(f32x4.mul(units, most), f32x4.splat(0.5))));
  return i16x8.narrow_i32x4_s(scaled, scaled);
}

// The question that is being answered: an instance has one thread.
let planes: i32 = 0, runs: i32 = 0, stride: i32 = 0, count: i32 = 0, batch: i32 = 0, table: usize = 0, scale: usize = 0;
/** Bytes of a query's values, of a segment's addresses. */
let breadth: usize = 0, places: usize = 0;
/** How many planes a feature is the sum of (1: it is the plane), and how many features are packed. */
let group: i32 = 0, features: i32 = 0;
/** How many of the nearest a list is cut back to. */
let kept: i32 = 0;
/** How many examples may wait. */
let most: i32 = 0;
/** Examples of a block, blocks of a segment. */
let length: i32 = 0, inSegment: i32 = 0;
/** Whether distances are written down for all examples, instead of the nearest being found. */
let writing: bool = false;
/** Where the queries' states, their features, the features' factors, eight distances and the packed examples are. */
let states: usize = 0, wanted: usize = 0, factors: usize = 0, distances: usize = 0, packed: usize = 0;

// A query's state. Keys are appended to its list and, when there are many, cut back, which lowers the bound.
const LENGTH: usize = 0; // u32: keys in the list
const BOUND: usize = 4; // i32: only smaller distances may enter
const REACH: usize = 8; // i32: of an example within the bound, packed distance - SQUARE is smaller
const SQUARE: usize = 12; // i32: the sum of the squares of the query's features
const KEYS: usize = 16; // the list's address
const LANES: usize = 20; // the address of the query's values in the order of the runs
const PROMISING: usize = 24; // the address of the keys (lower bound << 32 | index) of examples that wait
const PROMISES: usize = 28; // u32: how many
const KNOWN: usize = 32; // the address of the known part of its distances, or 0
const WRITTEN: usize = 36; // where its distances are written
const STATE: usize = 40;

/**
 * For each query of a batch the `k` examples nearest by sum over planes of (scale * example - query)^2 and what is known of
 * the distance, as u64 keys distance << 32 | index in ascending order (ties go to the lower index); index = segment * count +
 * example. `hints`: keys as an earlier search wrote them, of as many queries and examples at least, which may be near (0:
 * none). `out` has room for `batch` x `k` keys. Returns how many keys each query got: min(k, segments * count).
 */
export function search(c: Comparison, k: i32, hints: usize, out: usize): i32 {
  const queries = c.queries, segments = c.segments, known = c.known, scratch = c.scratch;
  const found = min<i32>(k, segments * c.count);
  if (found == 0) return 0;
  table = c.table;
  scale = c.scale;
  planes = c.planes;
  runs = c.runs;
  stride = c.stride;
  count = c.count;
  batch = c.batch;
  breadth = <usize> (planes + 8 * runs) << 1;
  places = <usize> (planes + runs) << 2;
  writing = false;
  group = runs > 0 && sumsPay(queries, segments, known, <f64> found / <f64> (segments * count)) ? GROUP : 1;
  inBlocks();

  const padded = (batch + TILE - 1) & ~(TILE - 1), width = <usize> features << 1, room = <usize> (2 * k + 64) << 3;
  const waiting = group > 1 ? <usize> mostWaiting(k) << 3 : 0;
  states = scratch;
  factors = states + <usize> padded * STATE;
  wanted = factors + width;
  const lists = (wanted + <usize> padded * width + 15) & ~15;
  distances = lists + <usize> padded * (room + waiting);
  packed = distances + 32;
  if (group > 1) toFactors();
  for (let b = 0; b < padded; b++) {
    const state = states + <usize> b * STATE, query = queries + <usize> min(b, batch - 1) * breadth;
    store<usize>(state, lists + <usize> b * room, KEYS);
    store<usize>(state, query + (<usize> planes << 1), LANES);
    store<usize>(state, lists + <usize> padded * room + <usize> b * waiting, PROMISING);
    store<u32>(state, 0, PROMISES);
    store<usize>(state, ofQuery(known, min(b, batch - 1), segments), KNOWN);
    store<i32>(state, toFeatures(query, wanted + <usize> (b - b % TILE) * width + (<usize> (b % TILE) << 2)), SQUARE);
    open(state, b < batch ? i32.MAX_VALUE : 0); // to what stands in beyond the batch, nothing is near enough
  }

  kept = found;
  const blocks = inSegment * segments;
  if (group > 1) {
    most = mostWaiting(k);
    for (let b = 0; b < batch && hints != 0; b++) {
      heed(states + <usize> b * STATE, hints + (<usize> (b * k) << 3), segments * count);
    }
    for (let block = 0; block < blocks; block++) visit(block);
    for (let b = 0; b < batch; b++) {
      const state = states + <usize> b * STATE;
      settle(state, 0);
      finish(state, out + (<usize> (b * k) << 3));
    }
    return found;
  }
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
    kept = found;
  }
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

/** Cuts the examples of a segment into blocks. */
function inBlocks(): void {
  features = ((planes + group - 1) / group + 1) & ~1;
  length = 16 * max<i32>(1, BLOCK / (64 + 32 * features));
  inSegment = (count + length - 1) / length;
}

/** The address of a query's distances in an array of those of all; 0 where there is none. */
function ofQuery(distances: usize, query: i32, segments: i32): usize {
  return distances == 0 ? 0 : distances + (<usize> query * <usize> (segments * count) << 2);
}

/**
 * Writes the distances of all examples to `out`, `batch` x `segments` x `count` i32: the sums over planes of
 * (scale * example - query)^2 and what is known of the distance. There are no runs.
 */
export function addDistances(c: Comparison, out: usize): void {
  const queries = c.queries, segments = c.segments, before = c.known, scratch = c.scratch;
  table = c.table;
  scale = c.scale;
  planes = c.planes;
  runs = 0;
  count = c.count;
  batch = c.batch;
  breadth = <usize> planes << 1;
  places = <usize> planes << 2;
  writing = true;
  group = 1;
  inBlocks();
  const padded = (batch + TILE - 1) & ~(TILE - 1), width = <usize> features << 1;
  states = scratch;
  wanted = states + <usize> padded * STATE;
  distances = (wanted + <usize> padded * width + 15) & ~15;
  packed = distances + 32;
  for (let b = 0; b < padded; b++) {
    const state = states + <usize> b * STATE, query = queries + <usize> min(b, batch - 1) * breadth;
    store<usize>(state, ofQuery(before, min(b, batch - 1), segments), KNOWN);
    store<usize>(state, ofQuery(out, min(b, batch - 1), segments), WRITTEN);
    store<i32>(state, toFeatures(query, wanted + <usize> (b - b % TILE) * width + (<usize> (b % TILE) << 2)), SQUARE);
  }
  for (let block = 0; block < inSegment * segments; block++) visit(block);
}

/**
 * Of distances over all parts of something, those over all but a stretch of parts: out = all - (to - from), `length` i32 each.
 * `from` (0: nothing) and `to` are the distances over the parts before the stretch and over those up to its end.
 */
export function leaveOut(all: usize, from: usize, to: usize, length: i32, out: usize): void {
  const end = <usize> length << 2, whole = end & ~15;
  let i: usize = 0;
  for (; i < whole; i += 16) {
    const before = from == 0 ? i32x4.splat(0) : v128.load(from + i);
    v128.store(out + i, i32x4.add(i32x4.sub(v128.load(all + i), v128.load(to + i)), before));
  }
  for (; i < end; i += 4) {
    const before = from == 0 ? 0 : load<i32>(from + i);
    store<i32>(out + i, load<i32>(all + i) - load<i32>(to + i) + before);
  }
}

/** Bounds a query's distances by those of `kept` examples, whose keys may be of another query. */
function heed(state: usize, hints: usize, examples: i32): void {
  for (let i = 0; i < kept; i++) {
    const index = load<u32>(hints + (<usize> i << 3));
    if (index < <u32> examples) compare(state, <i32> index);
  }
  if (<i32> load<u32>(state, LENGTH) < kept) return open(state, i32.MAX_VALUE);
  cut(state);
  open(state, load<i32>(state, BOUND));
}

/** How many examples may wait for their comparison. */
function mostWaiting(k: i32): i32 {
  return WAITING + 4 * k;
}

/**
 * Whether sums of planes leave so few examples that they pay: `part` of all are to be found. A few examples tell, for two
 * queries, which part of a distance the sums see. Where that is little, examples look near that are not, the more the farther
 * it is below 1: about as the fifth power (measured on faces, digits and textures, for which this chooses the faster way).
 */
function sumsPay(queries: usize, segments: i32, known: usize, part: f64): bool {
  let seen = f64x2.splat(0), all = f64x2.splat(0), whole = f64x2.splat(0);
  for (let t = 0; t < min(2, batch); t++) {
    const query = queries + <usize> (t * (batch - 1)) * breadth;
    // Two times eight that lie together: others would each be a cache line of every plane.
    for (let place = 1; place < 4; place += 2) {
      const j = max(min(count * place >> 2, count - 8), 0), segment = place * segments >> 2;
      const addresses = table + <usize> segment * places, row = ofQuery(known, t * (batch - 1), segments);
      if (row != 0) {
        const at = row + (<usize> (segment * count + j) << 2);
        whole = f64x2.add(whole, f64x2.add(toF64(v128.load(at)), toF64(v128.load(at, 16))));
      }
      for (let first = 0; first < planes; first += GROUP) {
        let low = i32x4.splat(0), high = low, sumLow = low, sumHigh = low;
        for (let p = first; p < min(first + GROUP, planes); p += 2) {
          const plane = addresses + (<usize> p << 2), bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j);
          const by = v128.load32_splat(scale + (<usize> p << 1)), two = v128.load32_splat(query + (<usize> p << 1));
          const a = i16x8.sub(i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by), two);
          const b = i16x8.sub(i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by), two);
          low = multiplyAdd(low, a, a);
          high = multiplyAdd(high, b, b);
          sumLow = multiplyAdd(sumLow, a, i16x8.splat(1));
          sumHigh = multiplyAdd(sumHigh, b, i16x8.splat(1));
        }
        // As if a group's scales were all the same, which they mostly are: it is a guess, not a bound.
        seen = f64x2.add(seen, f64x2.add(squares(sumLow), squares(sumHigh)));
        all = f64x2.add(all, toF64(i32x4.add(low, high)));
      }
    }
  }
  const exact = sumOf(whole), distance = exact + sumOf(all), sums = exact + sumOf(seen) / <f64> GROUP;
  const ratio = distance > 0.0 ? sums / distance : 1.0, squared = ratio * ratio;
  return part <= PAYING * <f64> planes * squared * squared * ratio;
}

// @ts-ignore: decorator
@inline
function sumOf(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** Four integers as the sums of two of them. */
// @ts-ignore: decorator
@inline
function toF64(v: v128): v128 {
  return f64x2.add(f64x2.convert_low_i32x4_s(v), f64x2.convert_low_i32x4_s(i32x4.shuffle(v, v, 2, 3, 0, 1)));
}

/** The squares of four integers as the sums of two of them. */
// @ts-ignore: decorator
@inline
function squares(v: v128): v128 {
  const a = f64x2.convert_low_i32x4_s(v), b = f64x2.convert_low_i32x4_s(i32x4.shuffle(v, v, 2, 3, 0, 1));
  return f64x2.add(f64x2.mul(a, a), f64x2.mul(b, b));
}

/** Compares the examples of a block with all queries. */
function visit(block: i32): void {
  const segment = block / inSegment, first = (block - segment * inSegment) * length, last = min(first + length, count);
  const addresses = table + <usize> segment * places;
  if (group == 1) pack(addresses, first, last);
  else packSums(addresses, first, last);
  for (let b = 0; b < batch; b += TILE) {
    const state = states + <usize> b * STATE, query = wanted + (<usize> (b * features) << 1);
    if (b + 1 < batch) scan4(state, query, first, last, segment * count);
    else scan1(state, query, first, last, segment * count);
  }
}

// Packed, eight examples take 32 bytes for the sums of their features' squares and 32 for each pair of features, of which a
// lane holds (example, feature) and (example, next feature) as i16.

/** Packs the planes themselves, of sixteen examples at a time. */
function pack(addresses: usize, first: i32, last: i32): void {
  const end = scale + (<usize> planes << 1), apart = 32 + (<usize> features << 4);
  let to = packed;
  for (let j = first; j < last; j += 16) {
    let s0 = i32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, plane = addresses, at = to + 32;
    for (let s = scale; s < end; s += 4) {
      const x = v128.load(load<u32>(plane) + j), y = v128.load(load<u32>(plane, 4) + j), by = v128.load32_splat(s);
      const low = i8x16.shuffle(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      const high = i8x16.shuffle(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
      const v0 = i16x8.mul(i16x8.extend_low_i8x16_u(low), by), v1 = i16x8.mul(i16x8.extend_high_i8x16_u(low), by);
      const v2 = i16x8.mul(i16x8.extend_low_i8x16_u(high), by), v3 = i16x8.mul(i16x8.extend_high_i8x16_u(high), by);
      v128.store(at, v0);
      v128.store(at, v1, 16);
      v128.store(at + apart, v2);
      v128.store(at + apart, v3, 16);
      s0 = multiplyAdd(s0, v0, v0);
      s1 = multiplyAdd(s1, v1, v1);
      s2 = multiplyAdd(s2, v2, v2);
      s3 = multiplyAdd(s3, v3, v3);
      plane += 8;
      at += 32;
    }
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to + apart, s2);
    v128.store(to + apart, s3, 16);
    to = at + apart;
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

/** Packs the features of groups, of sixteen examples at a time. */
function packSums(addresses: usize, first: i32, last: i32): void {
  const end = addresses + (<usize> planes << 2), stop = factors + (<usize> features << 1);
  const apart = 32 + (<usize> features << 4);
  let to = packed;
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
      const v0 = i16x8.shuffle(a0, b0, 0, 8, 1, 9, 2, 10, 3, 11), v1 = i16x8.shuffle(a0, b0, 4, 12, 5, 13, 6, 14, 7, 15);
      const v2 = i16x8.shuffle(a1, b1, 0, 8, 1, 9, 2, 10, 3, 11), v3 = i16x8.shuffle(a1, b1, 4, 12, 5, 13, 6, 14, 7, 15);
      v128.store(at, v0);
      v128.store(at, v1, 16);
      v128.store(at + apart, v2);
      v128.store(at + apart, v3, 16);
      s0 = multiplyAdd(s0, v0, v0);
      s1 = multiplyAdd(s1, v1, v1);
      s2 = multiplyAdd(s2, v2, v2);
      s3 = multiplyAdd(s3, v3, v3);
      at += 32;
    }
    v128.store(to, s0);
    v128.store(to, s1, 16);
    v128.store(to + apart, s2);
    v128.store(to + apart, s3, 16);
    to = at + apart;
  }
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
function scan4(state: usize, query: usize, first: i32, last: i32, base: i32): void {
  const end = query + (<usize> features << 3), shift = group > 1 ? UNIT : 0, all = writing;
  const known0 = knownFrom(state, base), known1 = knownFrom(state + STATE, base);
  const known2 = knownFrom(state + 2 * STATE, base), known3 = knownFrom(state + 3 * STATE, base);
  let at = packed;
  for (let j = first; j < last; j += 8) {
    let low0 = v128.load(at), low1 = low0, low2 = low0, low3 = low0;
    let high0 = v128.load(at, 16), high1 = high0, high2 = high0, high3 = high0;
    at += 32;
    if (known0 != 0) {
      const here = <usize> j << 2;
      low0 = addKnown(low0, known0 + here, shift);
      high0 = addKnown(high0, known0 + here + 16, shift);
      low1 = addKnown(low1, known1 + here, shift);
      high1 = addKnown(high1, known1 + here + 16, shift);
      low2 = addKnown(low2, known2 + here, shift);
      high2 = addKnown(high2, known2 + here + 16, shift);
      low3 = addKnown(low3, known3 + here, shift);
      high3 = addKnown(high3, known3 + here + 16, shift);
    }
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
    if (all) {
      write(state, low0, high0, j, base, last);
      write(state + STATE, low1, high1, j, base, last);
      write(state + 2 * STATE, low2, high2, j, base, last);
      write(state + 3 * STATE, low3, high3, j, base, last);
      continue;
    }
    take(state, low0, high0, j, base, last);
    take(state + STATE, low1, high1, j, base, last);
    take(state + 2 * STATE, low2, high2, j, base, last);
    take(state + 3 * STATE, low3, high3, j, base, last);
  }
}

/** The same for the first query of a tile alone. */
function scan1(state: usize, query: usize, first: i32, last: i32, base: i32): void {
  const end = query + (<usize> features << 3), shift = group > 1 ? UNIT : 0, all = writing;
  const known = knownFrom(state, base);
  let at = packed;
  for (let j = first; j < last; j += 8) {
    let low = v128.load(at), high = v128.load(at, 16);
    at += 32;
    if (known != 0) {
      low = addKnown(low, known + (<usize> j << 2), shift);
      high = addKnown(high, known + (<usize> j << 2) + 16, shift);
    }
    for (let q = query; q < end; q += 16) {
      const two = v128.load32_splat(q);
      low = multiplyAdd(low, v128.load(at), two);
      high = multiplyAdd(high, v128.load(at, 16), two);
      at += 32;
    }
    if (all) write(state, low, high, j, base, last);
    else take(state, low, high, j, base, last);
  }
}

/** Where the known part of a segment's distances is, 0 if nowhere. */
// @ts-ignore: decorator
@inline
function knownFrom(state: usize, base: i32): usize {
  const known = load<usize>(state, KNOWN);
  return known == 0 ? 0 : known + (<usize> base << 2);
}

/** Adds the known part of four distances, in the unit of what is packed (of sums: 4 x `GROUP`) and rounded down. */
// @ts-ignore: decorator
@inline
function addKnown(sums: v128, known: usize, shift: i32): v128 {
  return i32x4.add(sums, i32x4.shr_s(v128.load(known), shift));
}

/** Takes in eight packed distances (less `SQUARE`), of examples from `j` on: most are out of reach. */
// @ts-ignore: decorator
@inline
function take(state: usize, low: v128, high: v128, j: i32, base: i32, last: i32): void {
  const reach = v128.load32_splat(state, REACH);
  const nearLow = i32x4.lt_s(low, reach), nearHigh = i32x4.lt_s(high, reach);
  if (v128.any_true(v128.or(nearLow, nearHigh))) {
    let near = i32x4.bitmask(nearLow) | i32x4.bitmask(nearHigh) << 4;
    if (last - j < 8) near &= (1 << (last - j)) - 1;
    const square = v128.load32_splat(state, SQUARE);
    v128.store(distances, i32x4.add(low, square));
    v128.store(distances, i32x4.add(high, square), 16);
    for (; near != 0; near &= near - 1) {
      const lane = ctz(near), distance = load<i32>(distances + (<usize> lane << 2));
      if (group > 1) wait(state, distance, base + j + lane);
      else enter(state, distance, base + j + lane);
    }
  }
}

/** Writes eight distances (less `SQUARE`), of examples from `j` on. */
function write(state: usize, low: v128, high: v128, j: i32, base: i32, last: i32): void {
  const square = v128.load32_splat(state, SQUARE), to = load<usize>(state, WRITTEN) + (<usize> (base + j) << 2);
  const a = i32x4.add(low, square), b = i32x4.add(high, square);
  if (last - j >= 8) {
    v128.store(to, a);
    v128.store(to, b, 16);
    return;
  }
  v128.store(distances, a);
  v128.store(distances, b, 16);
  memory.copy(to, distances, <usize> (last - j) << 2);
}

/** Lets an example wait for its comparison, with the lower bound of its distance. */
function wait(state: usize, bound: i32, index: i32): void {
  const before = load<u32>(state, PROMISES), now = <i32> before + 1;
  store<u64>(load<usize>(state, PROMISING) + (<usize> before << 3), (<u64> <u32> bound << 32) | <u64> <u32> index);
  store<u32>(state, now, PROMISES);
  if (now == most) settle(state, now >> 1);
}

/** Compares a query with the most promising of the examples that wait, until at most `left` of them still have to. */
function settle(state: usize, left: i32): void {
  const waiting = load<usize>(state, PROMISING), square = load<i32>(state, SQUARE);
  let length = <i32> load<u32>(state, PROMISES);
  while (length > left) {
    const now = min(kept, length);
    select(waiting, length, now);
    for (let i = 0; i < now; i++) compare(state, <i32> load<u32>(waiting + (<usize> i << 3)));
    if (<i32> load<u32>(state, LENGTH) >= kept) cut(state);
    const reach = <i64> load<i32>(state, REACH) + <i64> square;
    let stay = 0;
    for (let i = now; i < length; i++) {
      const key = load<u64>(waiting + (<usize> i << 3));
      store<u64>(waiting + (<usize> stay << 3), key);
      stay += <i32> (<i64> (key >> 32) < reach);
    }
    length = stay;
  }
  store<u32>(state, length, PROMISES);
}

/** Compares a whole example with a query, as far as it may be near. */
function compare(state: usize, index: i32): void {
  const bound = load<i32>(state, BOUND), segment = index / count, apart = (index - segment * count) * stride;
  const addresses = table + <usize> segment * places, end = addresses + places;
  let run = addresses + (<usize> planes << 2), by = scale + (<usize> planes << 1), query = load<usize>(state, LANES);
  const known = load<usize>(state, KNOWN);
  let distance = known == 0 ? 0 : load<i32>(known + (<usize> index << 2));
  while (run < end) {
    let sum = i32x4.splat(0);
    for (const stop = min(run + 4 * STEP, end); run < stop; run += 4) {
      const bytes = v128.load8x8_u(load<u32>(run) + apart);
      const difference = i16x8.sub(i16x8.mul(bytes, v128.load(by)), v128.load(query));
      sum = multiplyAdd(sum, difference, difference);
      by += 16;
      query += 16;
    }
    sum = i32x4.add(sum, i32x4.shuffle(sum, sum, 2, 3, 0, 1));
    distance += i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1);
    if (distance >= bound) return;
  }
  enter(state, distance, index);
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

/** Appends an example to a query's list. */
// @ts-ignore: decorator
@inline
function enter(state: usize, distance: i32, index: i32): void {
  const before = load<u32>(state, LENGTH), now = <i32> before + 1;
  store<u64>(load<usize>(state, KEYS) + (<usize> before << 3), (<u64> <u32> distance << 32) | <u64> <u32> index);
  store<u32>(state, now, LENGTH);
  if (now > kept + (kept >> 1) + 2) cut(state);
}

/**
 * Shortens a list to its `kept` smallest keys or a few more, in no order, and lowers the bound so that at least `kept` of them
 * are below it. Halving the distances between the least and the largest takes no branch for each key, as sorting would.
 */
function cut(state: usize): void {
  const keys = load<usize>(state, KEYS), length = <i32> load<u32>(state, LENGTH), end = keys + (<usize> length << 3);
  // Distances are the odd lanes of two keys. An odd number of keys is made even by one that is never below a bound.
  store<u64>(end, u64.MAX_VALUE >> 1);
  let least = v128.load(keys), largest = i32x4.splat(0);
  for (let at = keys; at < end; at += 16) least = i32x4.min_s(least, v128.load(at));
  for (let at = keys; at + 8 < end; at += 16) largest = i32x4.max_s(largest, v128.load(at));
  let low = min(i32x4.extract_lane(least, 1), i32x4.extract_lane(least, 3));
  let high = max(max(i32x4.extract_lane(largest, 1), i32x4.extract_lane(largest, 3)), load<i32>(end - 8, 4));
  // Fewer than `kept` are below `low`, too many below `high`: `high` itself is not tried, so that equal ones end the search.
  while (length > kept && high - low > 1) {
    const middle = low + ((high - low) >> 1), bound = i32x4.splat(middle);
    let below = i32x4.splat(0);
    for (let at = keys; at < end; at += 16) below = i32x4.sub(below, i32x4.lt_s(v128.load(at), bound));
    const count = i32x4.extract_lane(below, 1) + i32x4.extract_lane(below, 3);
    if (count < kept) {
      low = middle;
    } else if (count > kept + (kept >> 3)) {
      high = middle;
    } else {
      let to = keys;
      for (let at = keys; at < end; at += 8) {
        const key = load<u64>(at);
        store<u64>(to, key);
        to += <usize> (<i32> (key >> 32) < middle) << 3;
      }
      store<u32>(state, count, LENGTH);
      limit(state, middle);
      return;
    }
  }
  if (length > kept) select(keys, length, kept);
  let last: u64 = 0;
  for (let i = 0; i < kept; i++) last = max(last, load<u64>(keys + (<usize> i << 3)));
  store<u32>(state, kept, LENGTH);
  // Examples that waited come in any order, and of two as near the lower index counts.
  limit(state, <i32> (last >> 32) + <i32> (group > 1));
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
  if (<i32> load<u32>(state, LENGTH) > kept + (kept >> 3)) cut(state);
  const length = <i32> load<u32>(state, LENGTH);
  let gap = 1;
  while (gap < length / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < length; i++) {
      const key = load<u64>(keys + (<usize> i << 3));
      let j = i;
      while (j >= gap && load<u64>(keys + (<usize> (j - gap) << 3)) > key) {
        store<u64>(keys + (<usize> j << 3), load<u64>(keys + (<usize> (j - gap) << 3)));
        j -= gap;
      }
      store<u64>(keys + (<usize> j << 3), key);
    }
  }
  memory.copy(out, keys, <usize> kept << 3);
}
