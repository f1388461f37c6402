// A noisy image in integers, so that sums over windows are exact and can be updated by additions and subtractions.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
// deno-lint-ignore verbatim-module-syntax -- as above
import { factorColumns, Work } from "./work";

const LOG2E: f64 = 1.4426950408889634;
/** A weight below 2^-24 of the largest so far is 0: half a unit in the last place of an f32. */
const CUT: f64 = 24.0;
/** A factor and its rounding error fit 16 bits; a sum of products of a factor and a byte fits 30. */
const MAX_FACTOR: f64 = 32760.0;
const MAX_SUM: f64 = 8e6;
const MAX_REACH: f64 = 1e9;

/**
 * Rounds an image: -1/(2 b) sum (x - s x_n)^2 is, up to what all candidates share, `unit` ln 2 times the sum over
 * u (2 e Y - e u), with u the byte of the example less 128.
 */
export function round(given: LocalScore, work: Work, image: usize, signal: f64, variance: f64): void {
  const length = given.channels * given.height * given.width;
  let largest: f64 = 0.0, total: f64 = 0.0;
  for (let i = 0; i < length; i++) {
    const size = Math.ceil(Math.abs(doubled(load<f32>(image + (<usize> i << 2)), signal))) + 128.0;
    largest = max(largest, size);
    total += size;
  }
  let limit = MAX_FACTOR;
  const inWindow = min(<f64> given.window * <f64> given.window * <f64> given.channels * largest, total);
  let step = Math.floor(128.0 * min(MAX_FACTOR / largest, MAX_SUM / inWindow));
  // An image whose values are so large that no step will do is not noise of this level: they are clamped.
  if (step < 1.0) limit = min(limit, Math.floor(MAX_SUM / <f64> length));
  step = max(step, 1.0);
  const perLevel = signal / 127.5;
  work.step = <i32> step;
  work.unit = <f32> (LOG2E * perLevel * perLevel / (2.0 * variance) * (128.0 / step));
  work.reach = <i32> Math.floor(min(CUT / <f64> work.unit, MAX_REACH));
  writeFactors(given, work, image, signal, limit);
}

/** Takes an image of bytes as it is, with e = 1: the sum over u (2 Y - u) is exact. */
export function takeBytes(given: LocalScore, work: Work, image: usize): void {
  work.step = 128;
  writeFactors(given, work, image, 1.0, MAX_FACTOR);
}

/** Writes 2 e Y of the rectangle, of two channels side by side. */
function writeFactors(given: LocalScore, work: Work, image: usize, signal: f64, limit: f64): void {
  const columns = factorColumns(work), step = <f64> work.step;
  const paired = given.channels & -2, plane = <usize> (columns * work.height) << 1;
  for (let channel = 0; channel < given.channels; channel++) {
    const isPaired = channel < paired, apart: usize = isPaired ? 4 : 2;
    let to = work.factors + <usize> (isPaired ? channel & -2 : channel) * plane +
      (isPaired ? <usize> (channel & 1) << 1 : 0);
    for (let y = work.top; y < work.top + work.height; y++) {
      const row = image + (<usize> ((channel * given.height + y) * given.width) << 2);
      for (let x = work.left; x < work.left + columns; x++, to += apart) {
        const value = x < given.width ? doubled(load<f32>(row + (<usize> x << 2)), signal) : 0.0;
        const factor = Math.floor(value * step / 128.0 + 0.5);
        store<i16>(to, <i16> <i32> min(max(factor, -limit), limit));
      }
    }
  }
}

/** 2 Y of a pixel, in grey levels. */
function doubled(pixel: f32, signal: f64): f64 {
  const value = 2.0 * (127.5 * (pixel == pixel ? <f64> pixel : 0.0) / signal - 0.5);
  return min(max(value, -1048576.0), 1048576.0);
}
