// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Exact nearest neighbours over planes: integer squared distances, one pass over the examples for four queries.
import { add, pair } from "./lanes";

const TILE: i32 = 4; // queries a pass: eight accumulators, which is what sixteen 128-bit registers hold beside the data

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

/**
 * For each query of a batch the `k` examples nearest by sum over planes of (scale * example - query)^2, as u64 keys
 * distance << 32 | index in ascending order (ties go to the lower index); index = segment * count + example.
 *
 * `table`: `segments` x `planes` u32 addresses of planes of `count` bytes, readable up to the next multiple of 8;
 * `scale`: `planes` i16 in 0..128 (255 * scale must fit an i16), with sum(scale^2) * 255^2 < 2^31 - 1; `queries`: `batch` x
 * `planes` i16. `planes` is even (pad with scale 0). `scratch` has room for 4 x (2 k + 64) u64, `out` for `batch` x `k`.
 * Returns how many keys each query got: min(k, segments * count).
 */
export function search(
  table: usize,
  scale: usize,
  queries: usize,
  planes: i32,
  count: i32,
  segments: i32,
  batch: i32,
  k: i32,
  scratch: usize,
  out: usize,
): i32 {
  const found = min<i32>(k, segments * count);
  const width = <usize> planes << 1;
  let b = 0;
  for (; b + TILE <= batch; b += TILE) {
    search4(table, scale, queries + <usize> b * width, planes, count, segments, k, scratch);
    for (let q = 0; q < TILE; q++) {
      finish(scratch + <usize> q * room(k), found, out + (<usize> ((b + q) * k) << 3));
    }
  }
  for (; b < batch; b++) {
    search1(table, scale, queries + <usize> b * width, planes, count, segments, k, scratch);
    finish(scratch, found, out + (<usize> (b * k) << 3));
  }
  return found;
}

// A query's list while it is searched: u32 length, u32 bound (only smaller distances may still enter), then the keys.
// Keys are appended and, when the list is full, cut back to the k smallest, which lowers the bound.

// @ts-ignore: decorator
@inline
function room(k: i32): usize {
  return <usize> (2 * k + 64) << 3;
}

// @ts-ignore: decorator
@inline
function open(list: usize): void {
  store<u32>(list, 0);
  store<u32>(list, 0x7fffffff, 4);
}

/** Appends the lanes of `distances` (four examples from `index` on) that are below the bound and within the segment. */
// @ts-ignore: decorator
@inline
function append(list: usize, distances: v128, index: i32, left: i32, mask: i32): void {
  let length = load<u32>(list);
  let at = list + 8 + (<usize> length << 3);
  if ((mask & 1) != 0 && left > 0) {
    store<u64>(at, (<u64> <u32> i32x4.extract_lane(distances, 0) << 32) | <u64> index);
    at += 8;
    length++;
  }
  if ((mask & 2) != 0 && left > 1) {
    store<u64>(at, (<u64> <u32> i32x4.extract_lane(distances, 1) << 32) | <u64> (index + 1));
    at += 8;
    length++;
  }
  if ((mask & 4) != 0 && left > 2) {
    store<u64>(at, (<u64> <u32> i32x4.extract_lane(distances, 2) << 32) | <u64> (index + 2));
    at += 8;
    length++;
  }
  if ((mask & 8) != 0 && left > 3) {
    store<u64>(at, (<u64> <u32> i32x4.extract_lane(distances, 3) << 32) | <u64> (index + 3));
    length++;
  }
  store<u32>(list, length);
}

/** Takes in eight distances at once. */
// @ts-ignore: decorator
@inline
function take(list: usize, low: v128, high: v128, index: i32, left: i32, k: i32): void {
  const bound = i32x4.splat(load<i32>(list, 4));
  const lowBelow = i32x4.lt_s(low, bound), highBelow = i32x4.lt_s(high, bound);
  if (v128.any_true(v128.or(lowBelow, highBelow))) {
    append(list, low, index, left, i32x4.bitmask(lowBelow));
    append(list, high, index + 4, left - 4, i32x4.bitmask(highBelow));
    if (load<u32>(list) > <u32> (2 * k + 48)) cut(list, k);
  }
}

/** Keeps the k smallest keys, in no order, and lowers the bound to the largest distance kept. */
function cut(list: usize, k: i32): void {
  const keys = list + 8;
  select(keys, <i32> load<u32>(list), k);
  let largest: u64 = 0;
  for (let i = 0; i < k; i++) largest = max(largest, load<u64>(keys + (<usize> i << 3)));
  store<u32>(list, k);
  store<u32>(list, <u32> (largest >> 32), 4);
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

/** Copies the `found` smallest keys of a list to `out` in ascending order (Shell's sort: the lists are short). */
function finish(list: usize, found: i32, out: usize): void {
  const keys = list + 8, length = <i32> load<u32>(list);
  if (length > found) select(keys, length, found);
  memory.copy(out, keys, <usize> found << 3);
  let gap = 1;
  while (gap < found / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap = (gap - 1) / 3) {
    for (let i = gap; i < found; i++) {
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

function search4(
  table: usize,
  scale: usize,
  queries: usize,
  planes: i32,
  count: i32,
  segments: i32,
  k: i32,
  scratch: usize,
): void {
  const list0 = scratch, list1 = list0 + room(k), list2 = list1 + room(k), list3 = list2 + room(k);
  open(list0);
  open(list1);
  open(list2);
  open(list3);
  const width = <usize> planes << 1;
  const end = scale + width;
  for (let segment = 0; segment < segments; segment++) {
    const planesOf = table + (<usize> (segment * planes) << 2);
    for (let j = 0; j < count; j += 8) {
      let low0 = i32x4.splat(0), low1 = low0, low2 = low0, low3 = low0;
      let high0 = low0, high1 = low0, high2 = low0, high3 = low0;
      let plane = planesOf, q0 = queries, q1 = q0 + width, q2 = q1 + width, q3 = q2 + width;
      for (let s = scale; s < end; s += 4) {
        const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j), by = v128.load32_splat(s);
        const low = i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by);
        const high = i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by);
        let query = v128.load32_splat(q0);
        low0 = add(low0, low, query);
        high0 = add(high0, high, query);
        query = v128.load32_splat(q1);
        low1 = add(low1, low, query);
        high1 = add(high1, high, query);
        query = v128.load32_splat(q2);
        low2 = add(low2, low, query);
        high2 = add(high2, high, query);
        query = v128.load32_splat(q3);
        low3 = add(low3, low, query);
        high3 = add(high3, high, query);
        plane += 8;
        q0 += 4;
        q1 += 4;
        q2 += 4;
        q3 += 4;
      }
      const index = segment * count + j, left = count - j;
      take(list0, low0, high0, index, left, k);
      take(list1, low1, high1, index, left, k);
      take(list2, low2, high2, index, left, k);
      take(list3, low3, high3, index, left, k);
    }
  }
}

function search1(
  table: usize,
  scale: usize,
  query: usize,
  planes: i32,
  count: i32,
  segments: i32,
  k: i32,
  list: usize,
): void {
  open(list);
  const end = scale + (<usize> planes << 1);
  for (let segment = 0; segment < segments; segment++) {
    const planesOf = table + (<usize> (segment * planes) << 2);
    for (let j = 0; j < count; j += 8) {
      let low = i32x4.splat(0), high = low;
      let plane = planesOf, q = query;
      for (let s = scale; s < end; s += 4) {
        const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j), by = v128.load32_splat(s);
        const value = v128.load32_splat(q);
        low = add(low, i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by), value);
        high = add(high, i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by), value);
        plane += 8;
        q += 4;
      }
      take(list, low, high, segment * count + j, count - j, k);
    }
  }
}
