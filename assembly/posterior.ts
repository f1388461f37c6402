// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Equation (posterior example based): the weights of the candidates, the draw, and the drawn patches.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { CandidateLists, WeightLists } from "./descriptors";
import { exp, expOfTwo } from "./math";

/** A mask of those of four lanes, from `first` on, that are among a row's last `left` pixels. */
// @ts-ignore: decorator
@inline
export function within(first: i32, left: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first)), i32x4.splat(left));
}

/** Adds the squared differences of eight bytes from as many values in grey levels. Lanes outside the masks do not count. */
// @ts-ignore: decorator
@inline
function addEight(sum: v128, bytes: usize, low: v128, high: v128, inLow: v128, inHigh: v128): v128 {
  const levels = i16x8.extend_low_i8x16_u(v128.load64_zero(bytes));
  const a = v128.and(f32x4.sub(low, f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(levels))), inLow);
  const b = v128.and(f32x4.sub(high, f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(levels))), inHigh);
  return f32x4.add(sum, f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)));
}

/** The sum of four lanes. */
// @ts-ignore: decorator
@inline
export function total(sum: v128): f64 {
  return <f64> ((f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1)) +
    (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)));
}

/**
 * Writes log T up to its constant to the weights of all candidates: -(LR distance) * perLow - (HR distance) * perHigh, the two
 * distances in the units of `search` and in grey levels squared, less the penalty of the training image. `measurements`: R_i X +
 * u_i, `batch` x channels x patch^2 f32, about [0, 1], readable 32 bytes beyond the end.
 */
export function logPosterior(lists: CandidateLists, measurements: usize, perLow: f64, perHigh: f64): void {
  const length = lists.channels * lists.patch * lists.patch;
  for (let b = 0; b < lists.batch; b++) {
    toLogWeights(lists, b, measurements + (<usize> (b * length) << 2), perLow, perHigh);
  }
}

/** Writes log T of one image's candidates. */
export function toLogWeights(lists: CandidateLists, b: i32, want: usize, perLow: f64, perHigh: f64): void {
  const patch = lists.patch, channels = lists.channels, plane = lists.plane, width = lists.width, found = lists.found;
  const last = (patch - 1) % 8 + 1, inLow = within(0, last), inHigh = within(4, last), penalties = lists.penalties;
  // In locals: a field would be read again after every store, which costs a tenth of the time.
  const first = <usize> (b * lists.capacity) << 3, keys = lists.keys + first, weights = lists.weights + first;
  const rows = lists.rows, corners = lists.corners, count = <u32> lists.count, stride = <usize> lists.stride;
  const all = i32x4.splat(-1), level = f32x4.splat(255.0);
  // Two at a time: they share what is done with the measurements. The last one may be its own partner.
  for (let c = 0; c < found; c += 2) {
    const at = <usize> c << 3, next = at + (<usize> (c + 1 < found) << 3);
    const key0 = load<u64>(keys + at), key1 = load<u64>(keys + next);
    let bytes0 = patchOf(<u32> key0, rows, count, stride, corners), high0 = 0.0, measured = want;
    let bytes1 = patchOf(<u32> key1, rows, count, stride, corners), high1 = 0.0;
    for (let channel = 0; channel < channels; channel++, bytes0 += plane, bytes1 += plane) {
      let sum0 = i32x4.splat(0), sum1 = sum0, row0 = bytes0, row1 = bytes1;
      for (let y = 0; y < patch; y++, row0 += width, row1 += width) {
        for (let x = 0; x < patch; x += 8) {
          const low = f32x4.mul(v128.load(measured), level), high = f32x4.mul(v128.load(measured, 16), level);
          const isLast = x + 8 >= patch, maskLow = isLast ? inLow : all, maskHigh = isLast ? inHigh : all;
          sum0 = addEight(sum0, row0 + x, low, high, maskLow, maskHigh);
          sum1 = addEight(sum1, row1 + x, low, high, maskLow, maskHigh);
          measured += isLast ? <usize> last << 2 : 32;
        }
      }
      high0 += total(sum0);
      high1 += total(sum1);
    }
    store<f64>(weights + at, -(<f64> <u32> (key0 >> 32) * perLow) - high0 * perHigh);
    store<f64>(weights + next, -(<f64> <u32> (key1 >> 32) * perLow) - high1 * perHigh);
  }
  for (let c: usize = 0; c < <usize> found << 3 && penalties != 0; c += 8) {
    const penalty = load<f64>(penalties + (<usize> (load<u32>(keys + c) % count) << 3));
    store<f64>(weights + c, load<f64>(weights + c) - penalty);
  }
}

/** The address of the first pixel of the candidate with the number segment * count + example. */
// @ts-ignore: decorator
@inline
function patchOf(index: u32, rows: usize, count: u32, stride: usize, corners: usize): usize {
  const segment = index / count, example = index - segment * count;
  return rows + <usize> example * stride + load<u32>(corners + (<usize> segment << 2));
}

/** Replaces log weights by the weights relative to the largest. Returns their sum. */
function toWeights(weights: usize, found: i32): f64 {
  let largest = -Infinity, total = 0.0, at = weights;
  const end = weights + (<usize> found << 3), pairs = weights + (<usize> (found & ~1) << 3);
  for (; at < end; at += 8) largest = max(largest, load<f64>(at));
  for (at = weights; at < pairs; at += 16) {
    const two = expOfTwo(f64x2.sub(v128.load(at), f64x2.splat(largest)));
    v128.store(at, two);
    total = (total + f64x2.extract_lane(two, 0)) + f64x2.extract_lane(two, 1);
  }
  if (at < end) {
    const weight = exp(load<f64>(at) - largest);
    store<f64>(at, weight);
    total += weight;
  }
  return total;
}

/**
 * Draws for each image of a batch one of its candidates with probability proportional to exp(log weight): the first whose
 * cumulative weight exceeds the uniform number times the total. The log weights are replaced by the weights relative to the
 * largest. `uniform`: `batch` f64 in [0, 1); `drawn`: `batch` i32.
 */
export function categorical(lists: WeightLists, uniform: usize, drawn: usize): void {
  for (let b = 0; b < lists.batch; b++) {
    store<i32>(drawn + (<usize> b << 2), drawByWeight(lists, b, load<f64>(uniform + (<usize> b << 3))));
  }
}

/** Draws one of an image's candidates by a uniform number. */
export function drawByWeight(lists: WeightLists, b: i32, number: f64): i32 {
  const found = lists.found, weights = weightsOf(lists, b), aim = number * toWeights(weights, found);
  let c = 0, sum = load<f64>(weights);
  while (sum <= aim && c < found - 1) sum += load<f64>(weights + (<usize> ++c << 3));
  return c;
}

/** The address of an image's weights. */
// @ts-ignore: decorator
@inline
function weightsOf(lists: WeightLists, b: i32): usize {
  return lists.weights + (<usize> (b * lists.capacity) << 3);
}

/** Writes the candidate of each image with the largest log weight, the first where several have it, to `drawn`: `batch` i32. */
export function likeliest(lists: WeightLists, drawn: usize): void {
  for (let b = 0; b < lists.batch; b++) {
    const weights = weightsOf(lists, b);
    let best = 0;
    for (let c = 1; c < lists.found; c++) {
      if (load<f64>(weights + (<usize> c << 3)) > load<f64>(weights + (<usize> best << 3))) best = c;
    }
    store<i32>(drawn + (<usize> b << 2), best);
  }
}

/**
 * Copies the drawn candidate of each image to `patches` (`batch` x channels x patch^2 f32 in [0, 1]) and its place to
 * `sources` (`batch` x 2 i32: example, segment). `drawn`: `batch` i32, from `categorical` or `likeliest`.
 */
export function takePatches(lists: CandidateLists, drawn: usize, patches: usize, sources: usize): void {
  const patch = lists.patch, channels = lists.channels, plane = lists.plane, width = lists.width;
  const rows = lists.rows, corners = lists.corners, count = <u32> lists.count, stride = <usize> lists.stride;
  let to = patches;
  for (let b = 0; b < lists.batch; b++) {
    const candidate = b * lists.capacity + load<i32>(drawn + (<usize> b << 2));
    const index = load<u32>(lists.keys + (<usize> candidate << 3)), bytes = patchOf(index, rows, count, stride, corners);
    for (let channel = 0; channel < channels; channel++) {
      for (let y = 0; y < patch; y++) {
        for (let x = 0; x < patch; x++, to += 4) {
          store<f32>(to, <f32> load<u8>(bytes + channel * plane + y * width + x) / 255.0);
        }
      }
    }
    const segment = index / count;
    store<i32>(sources + (<usize> b << 3), index - segment * count);
    store<i32>(sources + (<usize> b << 3), segment, 4);
  }
}

/**
 * Writes the mean of all candidates' patches, weighted by exp(log weight), to `patches`: `batch` x channels x patch^2 f32 in
 * [0, 1]. The log weights are replaced as by `categorical`.
 */
export function meanPatches(lists: CandidateLists, patches: usize): void {
  const patch = lists.patch, channels = lists.channels, plane = lists.plane, width = lists.width, found = lists.found;
  const length = channels * patch * patch;
  const rows = lists.rows, corners = lists.corners, count = <u32> lists.count, stride = <usize> lists.stride;
  for (let b = 0; b < lists.batch; b++) {
    const weights = weightsOf(lists, b), total = toWeights(weights, found);
    const first = patches + (<usize> (b * length) << 2);
    memory.fill(first, 0, <usize> length << 2);
    for (let c = 0; c < found; c++) {
      const weight = <f32> (load<f64>(weights + (<usize> c << 3)) / (total * 255.0));
      const index = load<u32>(lists.keys + (<usize> (b * lists.capacity + c) << 3));
      const bytes = patchOf(index, rows, count, stride, corners);
      let to = first;
      for (let channel = 0; channel < channels; channel++) {
        for (let y = 0; y < patch; y++) {
          for (let x = 0; x < patch; x++, to += 4) {
            store<f32>(to, load<f32>(to) + weight * <f32> load<u8>(bytes + channel * plane + y * width + x));
          }
        }
      }
    }
    // Rounding may carry the mean of white patches beyond 1.
    for (let p = 0; p < length; p++) {
      const at = first + (<usize> p << 2);
      store<f32>(at, min<f32>(load<f32>(at), 1.0));
    }
  }
}
