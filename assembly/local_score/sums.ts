// deno-fmt-ignore-file: the formatter drops decorators.
// Sums over windows from integral images. They wrap; differences are exact, as sums over windows fit 31 bits.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Work } from "./work";

/** Four sums over the values up to each lane. */
// @ts-ignore: decorator
@inline
function prefix(values: v128): v128 {
  const zero = i32x4.splat(0);
  const pairs = i32x4.add(values, i8x16.shuffle(zero, values, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i32x4.add(pairs, i8x16.shuffle(zero, pairs, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** The last lane in all lanes. */
// @ts-ignore: decorator
@inline
function last(values: v128): v128 {
  return i8x16.shuffle(values, values, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
}

/** Repeats the last column of a row of the integral image as far as windows reach. */
// @ts-ignore: decorator
@inline
function repeatLast(end: usize, reach: i32): void {
  const value = v128.load32_splat(end - 4);
  for (let x = 0; x < reach; x += 4) v128.store(end + (<usize> x << 2), value);
}

/** Writes the integral image of u (2 e Y - e u), summed over channels, u the bytes of the candidate less 128. */
export function integrate(work: Work, candidate: usize, channels: i32): void {
  const width = work.width, step = i16x8.splat(<i16> work.step), sign = i8x16.splat(-128), zero = i8x16.splat(0);
  const pitch = work.pitch, planeBytes = work.planeBytes, planeFactors = <usize> work.pixels << 1;
  let factors = work.factors, above = work.integral;
  for (let y = 0; y < work.height; y++, candidate += work.rowBytes) {
    let carry = zero, at = above;
    for (let x = 0; x < width; x += 8, factors += 16, at += 32) {
      let low = zero, high = zero, from = candidate + x, factor = factors;
      for (let channel = 0; channel < channels; channel++, from += planeBytes, factor += planeFactors) {
        const bytes = v128.xor(v128.load64_zero(from), sign);
        const u = i16x8.extend_low_i8x16_s(bytes);
        const shifted = i8x16.shuffle(zero, bytes, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21, 0, 22, 0, 23);
        const term = i16x8.sub(v128.load(factor), i16x8.q15mulr_sat_s(shifted, step));
        low = i32x4.add(low, i32x4.extmul_low_i16x8_s(u, term));
        high = i32x4.add(high, i32x4.extmul_high_i16x8_s(u, term));
      }
      low = i32x4.add(prefix(low), carry);
      high = i32x4.add(prefix(high), last(low));
      carry = last(high);
      v128.store(at + pitch, i32x4.add(v128.load(at), low));
      v128.store(at + pitch, i32x4.add(v128.load(at, 16), high), 16);
    }
    above += pitch;
    repeatLast(at + pitch, work.reachX);
  }
}

/** Writes the integral image of i32. */
export function integrateShares(work: Work, shares: usize): void {
  const width = work.width, pitch = work.pitch;
  let above = work.integral;
  for (let y = 0; y < work.height; y++, above += pitch) {
    let carry = i32x4.splat(0), at = above;
    for (let x = 0; x < width; x += 4, shares += 16, at += 16) {
      const sums = i32x4.add(prefix(v128.load(shares)), carry);
      carry = last(sums);
      v128.store(at + pitch, i32x4.add(v128.load(at), sums));
    }
    repeatLast(at + pitch, work.reachX);
  }
}

/** The row of the integral image above the windows of row y. */
// @ts-ignore: decorator
@inline
export function rowAbove(work: Work, y: i32): usize {
  return work.integral + <usize> max(y - work.reachY, 0) * work.pitch;
}

/** The last row of the integral image in the windows of row y. */
// @ts-ignore: decorator
@inline
export function rowBelow(work: Work, y: i32): usize {
  return work.integral + <usize> min(y + work.reachY + 1, work.height) * work.pitch;
}

/** The sums of the windows of four pixels. `left`, `right`: bytes from a pixel to the column before its window, and to its last. */
// @ts-ignore: decorator
@inline
export function windowSums(above: usize, below: usize, left: usize, right: usize): v128 {
  return i32x4.sub(
    i32x4.sub(v128.load(below + right), v128.load(below - left)),
    i32x4.sub(v128.load(above + right), v128.load(above - left)),
  );
}
