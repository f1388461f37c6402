// The weights of candidates: sums over windows become weights relative to the largest, in a running softmax.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { exp2, weights } from "./exp2";
import { integrate, integrateShares, rowAbove, rowBelow, windowSums } from "./sums";
// deno-lint-ignore verbatim-module-syntax -- as above
import { candidateAt, varies, Work } from "./work";

/** Below every sum. */
const NONE: i32 = -1060000000;
/** The shares of a window's candidates sum to about this divided by its pixels, so that their own windows fit 31 bits. */
const UNIT: f64 = 1073741824.0;

/** Begins an image. Pixels that all candidates have in common need no weights. */
export function clear(given: LocalScore, work: Work, all: bool): void {
  let at = work.least;
  for (let y = work.top; y < work.top + work.height; y++) {
    for (let x = work.left; x < work.left + work.width; x++, at += 4) {
      let needed = all;
      for (let channel = 0; channel < given.channels && x < given.width; channel++) {
        needed = needed || varies(given, work, channel, y, x);
      }
      store<i32>(at, needed && x < given.width ? NONE - work.reach : i32.MAX_VALUE);
    }
  }
  memory.fill(work.total, 0, <usize> work.pixels << 2);
  memory.fill(work.sums, 0, <usize> (given.channels * work.pixels) << 2);
}

/** Adds all candidates; marks examples that have a weight. */
export function addCandidates(given: LocalScore, work: Work, used: usize): void {
  const shift = given.shift;
  for (let n = 0; n < given.count; n++) {
    let counts = n == 0;
    for (let dy = -shift; dy <= shift; dy++) {
      for (let dx = -shift; dx <= shift; dx++) {
        const candidate = candidateAt(given, work, n, dy, dx);
        integrate(work, candidate, given.channels);
        if (addCandidate(work, candidate, given.channels)) counts = true;
      }
    }
    if (used && counts) store<u8>(used + n, 1);
  }
}

/** Adds a candidate where its sums are large enough. Returns whether they are anywhere. */
function addCandidate(work: Work, candidate: usize, channels: i32): bool {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2, rowBytes = work.rowBytes;
  let counts = false, least = work.least;
  for (let y = 0; y < work.height; y++, candidate += rowBytes) {
    const above = rowAbove(work, y), below = rowBelow(work, y);
    for (let x = 0; x < work.width; x += 4, least += 16) {
      const at = <usize> x << 2, sum = windowSums(above + at, below + at, left, right);
      if (!v128.any_true(i32x4.ge_s(sum, v128.load(least)))) continue;
      addFour(work, least - work.least, sum, candidate + x, channels);
      counts = true;
    }
  }
  return counts;
}

/** Adds four pixels, at `at` bytes from the first, of a candidate. */
function addFour(work: Work, at: usize, sum: v128, bytes: usize, channels: i32): void {
  const reach = i32x4.splat(work.reach), unit = f32x4.splat(work.unit), one = f32x4.splat(1.0);
  const before = v128.load(work.least + at), counts = i32x4.ge_s(sum, before);
  const largest = i32x4.add(before, reach), grown = i32x4.max_s(largest, sum), least = i32x4.sub(grown, reach);
  const weight = v128.and(weights(sum, grown, least, unit), counts);
  let factor = one;
  if (v128.any_true(v128.and(i32x4.gt_s(sum, largest), counts))) {
    factor = v128.bitselect(weights(largest, grown, least, unit), one, counts);
    v128.store(work.least + at, v128.bitselect(least, before, counts));
  }
  v128.store(work.total + at, f32x4.add(f32x4.mul(v128.load(work.total + at), factor), weight));
  let first = work.first + (at >> 2), sums = work.sums + at;
  for (let channel = 0; channel < channels; channel++) {
    const levels = f32x4.mul(weight, differences(bytes, first));
    v128.store(sums, f32x4.add(f32x4.mul(v128.load(sums), factor), levels));
    bytes += work.planeBytes;
    first += work.pixels;
    sums += <usize> work.pixels << 2;
  }
}

/** The differences of four bytes. */
function differences(bytes: usize, first: usize): v128 {
  const a = i16x8.extend_low_i8x16_u(v128.load32_zero(bytes)), b = i16x8.extend_low_i8x16_u(v128.load32_zero(first));
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(i16x8.sub(a, b)));
}

/** The weights of the current candidate at four pixels, `at` bytes from the first, relative to the largest of all candidates. */
function finalWeights(work: Work, at: usize, sum: v128): v128 {
  const least = v128.load(work.least + at);
  return weights(sum, i32x4.add(least, i32x4.splat(work.reach)), least, f32x4.splat(work.unit));
}

/** Draws a candidate for each window: the last before which the weights sum to at most the uniform number times their total. */
export function drawCandidates(given: LocalScore, work: Work, uniform: usize): void {
  const shift = given.shift, left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2;
  memory.fill(work.before, 0, <usize> work.pixels << 2);
  for (let y = 0; y < given.height; y++) {
    for (let x = 0; x < given.width; x++, uniform += 8) {
      const at = <usize> (y * work.width + x) << 2;
      store<i32>(work.chosen + at, 0);
      store<f32>(work.shares + at, <f32> load<f64>(uniform) * load<f32>(work.total + at));
    }
  }
  let number = 0;
  for (let n = 0; n < given.count; n++) {
    for (let dy = -shift; dy <= shift; dy++) {
      for (let dx = -shift; dx <= shift; dx++, number++) {
        integrate(work, candidateAt(given, work, n, dy, dx), given.channels);
        let at: usize = 0;
        for (let y = 0; y < work.height; y++) {
          const above = rowAbove(work, y), below = rowBelow(work, y);
          for (let x: usize = 0; x < <usize> work.width << 2; x += 16, at += 16) {
            const sum = windowSums(above + x, below + x, left, right);
            if (!v128.any_true(i32x4.ge_s(sum, v128.load(work.least + at)))) continue;
            const weight = finalWeights(work, at, sum), before = v128.load(work.before + at);
            const reached = f32x4.le(before, v128.load(work.shares + at));
            const chosen = v128.and(reached, f32x4.gt(weight, f32x4.splat(0.0)));
            v128.store(work.chosen + at, v128.bitselect(i32x4.splat(number), v128.load(work.chosen + at), chosen));
            v128.store(work.before + at, f32x4.add(before, weight));
          }
        }
      }
    }
  }
}

/**
 * Replaces `total` and `sums` by those of the patch response: each candidate's weights are summed over the windows that hold a
 * pixel, as integers.
 */
export function overlap(given: LocalScore, work: Work): void {
  const shift = given.shift, pixels = <usize> work.pixels << 2;
  const unit = Math.floor(UNIT / (<f64> given.window * <f64> given.window));
  for (let at: usize = 0; at < pixels; at += 4) {
    store<f32>(work.before + at, <f32> unit / load<f32>(work.total + at));
  }
  memory.fill(work.total, 0, pixels);
  memory.fill(work.sums, 0, <usize> given.channels * pixels);
  for (let n = 0; n < given.count; n++) {
    for (let dy = -shift; dy <= shift; dy++) {
      for (let dx = -shift; dx <= shift; dx++) {
        const candidate = candidateAt(given, work, n, dy, dx);
        integrate(work, candidate, given.channels);
        if (!shareOut(work)) continue;
        integrateShares(work, work.shares);
        addShares(work, candidate, given.channels);
      }
    }
  }
}

/** Writes the shares of the current candidate in each window. Returns whether it has any. */
function shareOut(work: Work): bool {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2, half = f32x4.splat(0.5);
  let any = false, at: usize = 0;
  for (let y = 0; y < work.height; y++) {
    const above = rowAbove(work, y), below = rowBelow(work, y);
    for (let x: usize = 0; x < <usize> work.width << 2; x += 16, at += 16) {
      const sum = windowSums(above + x, below + x, left, right);
      let share = i32x4.splat(0);
      if (v128.any_true(i32x4.ge_s(sum, v128.load(work.least + at)))) {
        const scaled = f32x4.mul(finalWeights(work, at, sum), v128.load(work.before + at));
        share = i32x4.trunc_sat_f32x4_s(f32x4.add(scaled, half));
        any = true;
      }
      v128.store(work.shares + at, share);
    }
  }
  return any;
}

/** Adds the shares of all windows over each pixel to `total`, and what they answer to `sums`. */
function addShares(work: Work, candidate: usize, channels: i32): void {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2, rowBytes = work.rowBytes;
  let at: usize = 0;
  for (let y = 0; y < work.height; y++, candidate += rowBytes) {
    const above = rowAbove(work, y), below = rowBelow(work, y);
    for (let x: usize = 0; x < <usize> work.width << 2; x += 16, at += 16) {
      const share = f32x4.convert_i32x4_s(windowSums(above + x, below + x, left, right));
      v128.store(work.total + at, f32x4.add(v128.load(work.total + at), share));
      let bytes = candidate + (x >> 2), first = work.first + (at >> 2), sums = work.sums + at;
      for (let channel = 0; channel < channels; channel++) {
        v128.store(sums, f32x4.add(v128.load(sums), f32x4.mul(share, differences(bytes, first))));
        bytes += work.planeBytes;
        first += work.pixels;
        sums += <usize> work.pixels << 2;
      }
    }
  }
}

/** Writes the weights of all candidates at one pixel of the rectangle; they sum to 1. */
export function writeWeights(given: LocalScore, work: Work, y: i32, x: i32, out: usize): void {
  const shift = given.shift, left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2;
  const at = <usize> x << 2;
  let largest = i32.MIN_VALUE, to = out;
  for (let n = 0; n < given.count; n++) {
    for (let dy = -shift; dy <= shift; dy++) {
      for (let dx = -shift; dx <= shift; dx++, to += 4) {
        integrate(work, candidateAt(given, work, n, dy, dx), given.channels);
        const above = rowAbove(work, y) + at, below = rowBelow(work, y) + at;
        const sum = (load<i32>(below + right) - load<i32>(below - left)) -
          (load<i32>(above + right) - load<i32>(above - left));
        store<i32>(to, sum);
        largest = max(largest, sum);
      }
    }
  }
  let total: f64 = 0.0;
  for (let i = out; i < to; i += 4) {
    const sum = load<i32>(i), t: f32 = <f32> (sum - largest) * work.unit;
    const weight = sum < largest - work.reach ? <f32> 0.0 : f32x4.extract_lane(exp2(f32x4.splat(t)), 0);
    store<f32>(i, weight);
    total += <f64> weight;
  }
  for (let i = out; i < to; i += 4) store<f32>(i, <f32> (<f64> load<f32>(i) / total));
}
