// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Equation (posterior example based): the weights of the candidates, the draw, and the drawn patches.
import { exp } from "./math";

/** The lanes of four, from `first` on, that belong to a row's last `left` pixels. */
// @ts-ignore: decorator
@inline
function within(first: i32, left: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4(0, 1, 2, 3), i32x4.splat(first)), i32x4.splat(left));
}

/**
 * Squared distance, in grey levels, of a patch of bytes (rows `width` apart) to `patch` x `patch` f32. Of a row's last eight
 * pixels those of `inLow` and `inHigh` count.
 */
// @ts-ignore: decorator
@inline
function distance(bytes: usize, width: i32, measured: usize, patch: i32, inLow: v128, inHigh: v128): f64 {
  let sum = f32x4.splat(0);
  const level = f32x4.splat(255.0);
  for (let y = 0; y < patch; y++) {
    const row = bytes + <usize> (y * width), want = measured + (<usize> (y * patch) << 2);
    for (let x = 0; x < patch; x += 8) {
      const pixels = i16x8.extend_low_i8x16_u(v128.load64_zero(row + x));
      const low = f32x4.sub(
        f32x4.mul(v128.load(want + (<usize> x << 2)), level),
        f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(pixels)),
      );
      const high = f32x4.sub(
        f32x4.mul(v128.load(want + (<usize> x << 2), 16), level),
        f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(pixels)),
      );
      if (x + 8 < patch) {
        sum = f32x4.add(sum, f32x4.add(f32x4.mul(low, low), f32x4.mul(high, high)));
      } else {
        const a = v128.and(low, inLow), b = v128.and(high, inHigh);
        sum = f32x4.add(sum, f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)));
      }
    }
  }
  return <f64> ((f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1)) +
    (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)));
}

/**
 * log T up to its constant, for `found` candidates of each image of a batch:
 * -(LR distance) * perLow - (HR distance) * perHigh, the two distances in the units of `search` and in grey levels squared.
 *
 * `keys`: `batch` x `k` u64 of `search`; `rows`: the HR training images, rows of `width` bytes, `plane` bytes from one of an
 * image's `channels` to the next, readable 8 bytes beyond the end; `corners`: for each segment the u32 offset of the first
 * example's first pixel; `step`: bytes from one example of a segment to the next; `measured`: `batch` x channels x patch^2 f32
 * in [0, 1], readable 32 bytes beyond the end; `out`: `batch` x `k` f64.
 */
export function logPosterior(
  keys: usize,
  k: i32,
  found: i32,
  batch: i32,
  rows: usize,
  count: i32,
  step: i32,
  channels: i32,
  plane: i32,
  width: i32,
  corners: usize,
  measured: usize,
  patch: i32,
  perLow: f64,
  perHigh: f64,
  out: usize,
): void {
  const area = patch * patch, last = (patch - 1) % 8 + 1, inLow = within(0, last), inHigh = within(4, last);
  for (let b = 0; b < batch; b++) {
    const want = measured + (<usize> (b * channels * area) << 2);
    for (let c = 0; c < found; c++) {
      const at = <usize> (b * k + c) << 3;
      const key = load<u64>(keys + at);
      const index = <u32> key, segment = index / <u32> count, example = index - segment * <u32> count;
      const bytes = rows + <usize> example * <usize> step + load<u32>(corners + (<usize> segment << 2));
      const low = <f64> <u32> (key >> 32);
      let high = 0.0;
      for (let channel = 0; channel < channels; channel++) {
        high += distance(bytes + channel * plane, width, want + (<usize> (channel * area) << 2), patch, inLow, inHigh);
      }
      store<f64>(out + at, -(low * perLow) - high * perHigh);
    }
  }
}

/** Replaces log weights by the weights relative to the largest; returns their sum. */
function toWeights(weights: usize, found: i32): f64 {
  let largest = -Infinity;
  for (let c = 0; c < found; c++) largest = max(largest, load<f64>(weights + (<usize> c << 3)));
  let total = 0.0;
  for (let c = 0; c < found; c++) {
    const weight = exp(load<f64>(weights + (<usize> c << 3)) - largest);
    store<f64>(weights + (<usize> c << 3), weight);
    total += weight;
  }
  return total;
}

/**
 * Draws for each image of a batch one of `found` candidates with probability proportional to exp(logWeight): the first
 * whose cumulative weight exceeds the uniform number times the total. `logWeights`: `batch` x `k` f64, replaced by the
 * weights relative to the largest; `uniform`: `batch` f64 in [0, 1); `out`: `batch` i32.
 */
export function categorical(logWeights: usize, k: i32, found: i32, batch: i32, uniform: usize, out: usize): void {
  for (let b = 0; b < batch; b++) {
    const weights = logWeights + (<usize> (b * k) << 3), total = toWeights(weights, found);
    const aim = load<f64>(uniform + (<usize> b << 3)) * total;
    let drawn = 0, sum = load<f64>(weights);
    while (sum <= aim && drawn < found - 1) sum += load<f64>(weights + (<usize> ++drawn << 3));
    store<i32>(out + (<usize> b << 2), drawn);
  }
}

/**
 * Copies the drawn candidate of each image to `patches` (`batch` x channels x patch^2 f32 in [0, 1]) and its place to
 * `sources` (`batch` x 2 i32: example, segment). The rest as in `logPosterior`.
 */
export function takePatches(
  keys: usize,
  k: i32,
  drawn: usize,
  batch: i32,
  rows: usize,
  count: i32,
  step: i32,
  channels: i32,
  plane: i32,
  width: i32,
  corners: usize,
  patch: i32,
  patches: usize,
  sources: usize,
): void {
  for (let b = 0; b < batch; b++) {
    const candidate = b * k + load<i32>(drawn + (<usize> b << 2));
    const index = load<u32>(keys + (<usize> candidate << 3));
    const segment = index / <u32> count, example = index - segment * <u32> count;
    const bytes = rows + <usize> example * <usize> step + load<u32>(corners + (<usize> segment << 2));
    let to = patches + (<usize> (b * channels * patch * patch) << 2);
    for (let channel = 0; channel < channels; channel++) {
      for (let y = 0; y < patch; y++) {
        for (let x = 0; x < patch; x++, to += 4) {
          store<f32>(to, <f32> load<u8>(bytes + channel * plane + y * width + x) / 255.0);
        }
      }
    }
    store<i32>(sources + (<usize> b << 3), example);
    store<i32>(sources + (<usize> b << 3), segment, 4);
  }
}

/**
 * The candidate of each image with the largest log weight, the first where several have it. `logWeights`: `batch` x `k` f64;
 * `out`: `batch` i32.
 */
export function likeliest(logWeights: usize, k: i32, found: i32, batch: i32, out: usize): void {
  for (let b = 0; b < batch; b++) {
    const weights = logWeights + (<usize> (b * k) << 3);
    let best = 0;
    for (let c = 1; c < found; c++) {
      if (load<f64>(weights + (<usize> c << 3)) > load<f64>(weights + (<usize> best << 3))) best = c;
    }
    store<i32>(out + (<usize> b << 2), best);
  }
}

/**
 * The mean of all candidates' patches, weighted by exp(logWeight): `patches` is `batch` x channels x patch^2 f32 in [0, 1].
 * `logWeights` is replaced as by `categorical`. The rest as in `logPosterior`.
 */
export function meanPatches(
  logWeights: usize,
  keys: usize,
  k: i32,
  found: i32,
  batch: i32,
  rows: usize,
  count: i32,
  step: i32,
  channels: i32,
  plane: i32,
  width: i32,
  corners: usize,
  patch: i32,
  patches: usize,
): void {
  const length = channels * patch * patch;
  for (let b = 0; b < batch; b++) {
    const first = patches + (<usize> (b * length) << 2), total = toWeights(logWeights + (<usize> (b * k) << 3), found);
    memory.fill(first, 0, <usize> length << 2);
    for (let c = 0; c < found; c++) {
      const at = <usize> (b * k + c) << 3, weight = <f32> (load<f64>(logWeights + at) / (total * 255.0));
      const index = load<u32>(keys + at), segment = index / <u32> count, example = index - segment * <u32> count;
      const bytes = rows + <usize> example * <usize> step + load<u32>(corners + (<usize> segment << 2));
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
