// A pass over all candidates, and what a second pass answers: a draw for each window, the patch response, the weights of a window.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { weights } from "./exp2";
import { addCandidate, addWeighted } from "./posterior";
import { integrate, integrateShares, sumWindows, windowSum } from "./sums";
// deno-lint-ignore verbatim-module-syntax -- as above
import { candidateAt, Work } from "./work";

/** What a pass does with each candidate: adds it to the records, draws, overlaps its shares, writes its sum at one pixel, or notes where it is nearest. */
export const ADD: i32 = 0;
export const DRAW: i32 = 1;
export const OVERLAP: i32 = 2;
export const WRITE: i32 = 3;
export const NEAREST: i32 = 4;

/** The shares of a window's candidates sum to about this divided by its pixels, so that their own windows fit 31 bits. */
const UNIT: f64 = 1073741824.0;

/**
 * Goes through the candidates in their order. `argument`: where to mark the examples that have a weight or 0; the uniform
 * numbers; nothing; where to write. `pixel`: the number of the pixel whose sums are written. `from`: the first candidate, where none is moved.
 */
export function passOver(given: LocalScore, work: Work, what: i32, argument: usize, pixel: i32, from: i32 = 0): void {
  const shift = given.shift;
  let number = from;
  for (let n = from; n < given.count; n++) {
    for (let dy = -shift; dy <= shift; dy++) {
      for (let dx = -shift; dx <= shift; dx++, number++) {
        const candidate = candidateAt(given, work, n, dy, dx);
        integrate(work, candidate, given.channels);
        if (what == ADD) {
          if ((addCandidate(work, candidate, given.answered) || number == 0) && argument) store<u8>(argument + n, 1);
          continue;
        }
        if (what == WRITE) {
          store<i32>(argument + (<usize> number << 2), windowSum(work, pixel));
          continue;
        }
        sumWindows(work);
        if (what == NEAREST) {
          keepNearest(work, number);
          continue;
        }
        if (toWeights(work)) {
          if (what == DRAW) draw(given, work, argument, number);
          else overlap(given, work, candidate);
        }
      }
    }
  }
}

/** Replaces the sums in `shares` by weights relative to the largest of all candidates. Returns whether any is above 0. */
function toWeights(work: Work): bool {
  let any = i32x4.splat(0), record = work.records;
  for (let at = work.shares, end = at + (work.pixels << 2); at < end; at += 16, record += work.record) {
    const sum = v128.load(at), least = v128.load(record), counts = i32x4.ge_s(sum, least);
    any = v128.or(any, counts);
    v128.store(
      at,
      weights(sum, i32x4.add(least, i32x4.splat(work.reach)), counts, f32x4.splat(work.unit), work.constants),
    );
  }
  return v128.any_true(any);
}

/** Prepares a search for the nearest: no window has one. */
export function prepareNearest(work: Work): void {
  const none = i32x4.splat(i32.MIN_VALUE);
  for (let at = work.before, end = at + (work.pixels << 2); at < end; at += 16) v128.store(at, none);
}

/** Notes a candidate at the pixels where its sum is larger than that of all before. */
function keepNearest(work: Work, number: i32): void {
  const largest = work.before - work.shares, chosen = work.chosen - work.shares, candidate = i32x4.splat(number);
  for (let at = work.shares, end = at + (work.pixels << 2); at < end; at += 16) {
    const sum = v128.load(at), before = v128.load(at + largest), isNearer = i32x4.gt_s(sum, before);
    v128.store(at + largest, i32x4.max_s(sum, before));
    v128.store(at + chosen, v128.bitselect(candidate, v128.load(at + chosen), isNearer));
  }
}

/** Prepares a draw: no window has one. */
export function prepareDraw(work: Work): void {
  memory.fill(work.before, 0, work.pixels << 2);
  memory.fill(work.chosen, 0, work.pixels << 2);
}

/** Chooses a candidate for windows whose weights before it sum to at most the uniform number times their total. */
function draw(given: LocalScore, work: Work, uniform: usize, number: i32): void {
  for (let y = 0, p = 0; y < work.height; y++) {
    for (let x = 0; x < work.width; x++, p++) {
      const at = <usize> p << 2, weight = load<f32>(work.shares + at), before = load<f32>(work.before + at);
      if (weight == 0.0 || x >= given.width) continue;
      const total = load<f32>(work.records + <usize> (p >> 2) * work.record + ((p & 3) << 2), 16);
      const until = <f32> load<f64>(uniform + (<usize> (y * given.width + x) << 3)) * total;
      if (before <= until) store<i32>(work.chosen + at, number);
      store<f32>(work.before + at, before + weight);
    }
  }
}

/** Prepares the patch response: from here on totals and sums of the records are those of overlapping windows. */
export function prepareOverlap(given: LocalScore, work: Work): void {
  const unit = f32x4.splat(<f32> Math.floor(UNIT / (<f64> given.window * <f64> given.window))), zero = i32x4.splat(0);
  let record = work.records;
  for (let at = work.before, end = at + (work.pixels << 2); at < end; at += 16, record += work.record) {
    v128.store(at, f32x4.div(unit, v128.load(record, 16)));
    v128.store(record, zero, 16);
    for (let channel = 0; channel < given.answered; channel++) v128.store(record + (channel << 5), zero, 48);
  }
}

/** Sums a candidate's weights, as integers, over the windows that hold a pixel, and adds them to the totals and sums. */
function overlap(given: LocalScore, work: Work, candidate: usize): void {
  const half = f32x4.splat(0.5), apart = work.before - work.shares;
  for (let at = work.shares, end = at + (work.pixels << 2); at < end; at += 16) {
    const scaled = f32x4.mul(v128.load(at), v128.load(at + apart));
    v128.store(at, i32x4.trunc_sat_f32x4_s(f32x4.add(scaled, half)));
  }
  integrateShares(work);
  sumWindows(work);
  let at = work.shares, record = work.records;
  for (let y = 0; y < work.height; y++, candidate += work.rowBytes) {
    for (let x = 0; x < work.width; x += 4, at += 16, record += work.record) {
      addWeighted(record, f32x4.convert_i32x4_s(v128.load(at)), candidate + x, work.planeBytes, given.answered);
    }
  }
}
