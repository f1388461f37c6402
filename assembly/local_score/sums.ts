// deno-fmt-ignore-file: the formatter drops decorators.
// Sums over windows from integral images. They wrap; differences are exact, as sums over windows fit 31 bits.
import { lowPairs } from "../lanes";
import { halvesAt, signsAt } from "./exp2";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { factorColumns, Work } from "./work";

/** Four sums over the values up to each lane. */
// @ts-ignore: decorator
@inline
export function prefix(values: v128): v128 {
  const zero = i32x4.splat(0);
  const pairs = i32x4.add(values, i8x16.shuffle(zero, values, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return i32x4.add(pairs, i8x16.shuffle(zero, pairs, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** The last lane in all lanes. */
// @ts-ignore: decorator
@inline
export function last(values: v128): v128 {
  return i8x16.shuffle(values, values, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
}

/** Repeats the last column of a row of the integral image as far as windows reach. */
// @ts-ignore: decorator
@inline
export function repeatLast(end: usize, reach: i32): void {
  const value = v128.load32_splat(end - 4);
  for (let x = 0; x < reach; x += 4) v128.store(end + (<usize> x << 2), value);
}

/** 2 e Y - e u; e = `whole` + `part` / 128, and `half` of 128 rounds. */
// @ts-ignore: decorator
@inline
function termOf(u: v128, factor: v128, whole: v128, part: v128, half: v128): v128 {
  const scaled = i16x8.shr_s(i16x8.add(i16x8.mul(u, part), half), 7);
  return i16x8.sub(i16x8.sub(factor, i16x8.mul(u, whole)), scaled);
}

/** u (2 e Y - e u) of four pixels, summed over two channels. */
// @ts-ignore: decorator
@inline
export function pairTerms(u: v128, factor: v128, whole: v128, part: v128, half: v128): v128 {
  return i32x4.dot_i16x8_s(u, termOf(u, factor, whole, part, half));
}

/**
 * Writes the integral image of u (2 e Y - e u), summed over channels, u the bytes of the candidate less 128. Images of one
 * channel have a loop of their own, without branches: grey ones with their mirror images are added in pairs.
 */
export function integrate(work: Work, candidate: usize, channels: i32): void {
  if (channels == 1) integrateChannels(work, candidate, 0, true);
  else integrateChannels(work, candidate, channels >> 1, (channels & 1) != 0);
}

/** `pairs`: of channels, side by side; `isOdd`: whether another channel follows. */
// @ts-ignore: decorator
@inline
function integrateChannels(work: Work, candidate: usize, pairs: i32, isOdd: bool): void {
  const width = work.width, sign = signsAt(work.constants), half = halvesAt(work.constants), zero = i8x16.splat(0);
  const whole = i16x8.splat(<i16> (work.step >> 7)), part = i16x8.splat(<i16> (work.step & 127));
  const pitch = work.pitch, planeBytes = work.planeBytes, rowBytes = work.rowBytes, reach = work.reachX;
  const pairFactors = <usize> (factorColumns(work) * work.height) << 2;
  let factors = work.factors, single = factors + <usize> pairs * pairFactors, above = work.integral;
  for (let y = 0; y < work.height; y++, candidate += rowBytes, above += pitch) {
    let carry = zero, at = above, from = candidate;
    // In the last eight columns of a row there may be four that are not in the rectangle: what is written there is not read.
    for (const end = from + width; from < end; from += 8, factors += 32, single += 16, at += 32) {
      let low = zero, high = zero, plane = from, factor = factors;
      if (pairs > 0) {
        // Two channels side by side: one instruction multiplies both and adds them.
        let bytes = v128.xor(lowPairs(v128.load64_zero(plane), v128.load64_zero(plane + planeBytes)), sign);
        low = pairTerms(i16x8.extend_low_i8x16_s(bytes), v128.load(factor), whole, part, half);
        high = pairTerms(i16x8.extend_high_i8x16_s(bytes), v128.load(factor, 16), whole, part, half);
        plane += planeBytes << 1;
        for (let left = pairs - 1; left > 0; left--, plane += planeBytes << 1) {
          factor += pairFactors;
          bytes = v128.xor(lowPairs(v128.load64_zero(plane), v128.load64_zero(plane + planeBytes)), sign);
          low = i32x4.add(low, pairTerms(i16x8.extend_low_i8x16_s(bytes), v128.load(factor), whole, part, half));
          high = i32x4.add(high, pairTerms(i16x8.extend_high_i8x16_s(bytes), v128.load(factor, 16), whole, part, half));
        }
      }
      if (isOdd) {
        const u = i16x8.extend_low_i8x16_s(v128.xor(v128.load64_zero(plane), sign)), term = termOf(u, v128.load(single), whole, part, half);
        low = i32x4.add(low, i32x4.extmul_low_i16x8_s(u, term));
        high = i32x4.add(high, i32x4.extmul_high_i16x8_s(u, term));
      }
      low = i32x4.add(prefix(low), carry);
      high = i32x4.add(prefix(high), last(low));
      carry = last(high);
      v128.store(at + pitch, i32x4.add(v128.load(at), low));
      v128.store(at + pitch, i32x4.add(v128.load(at, 16), high), 16);
    }
    repeatLast(above + pitch + (<usize> width << 2), reach);
  }
}

/** Writes the integral image of `shares`. */
export function integrateShares(work: Work): void {
  const width = work.width, pitch = work.pitch;
  let above = work.integral, shares = work.shares;
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

/** Writes the sums of the windows of all pixels to `shares`. */
export function sumWindows(work: Work): void {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2;
  let to = work.shares;
  for (let y = 0; y < work.height; y++) {
    const above = rowAbove(work, y), below = rowBelow(work, y);
    for (let x: usize = 0; x < <usize> work.width << 2; x += 16, to += 16) {
      v128.store(to, windowSums(above + x - left, above + x + right, below + x - left, below + x + right));
    }
  }
}

/** The sum of the window of one pixel. Its group of four goes to the first `shares`. */
export function windowSum(work: Work, pixel: i32): i32 {
  const y = pixel / work.width, x = <usize> ((pixel - y * work.width) & -4) << 2;
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2;
  const above = rowAbove(work, y) + x, below = rowBelow(work, y) + x;
  v128.store(work.shares, windowSums(above - left, above + right, below - left, below + right));
  return load<i32>(work.shares + (<usize> (pixel & 3) << 2));
}

/** The sums of the windows of four pixels, from the corners of the first. */
// @ts-ignore: decorator
@inline
export function windowSums(topLeft: usize, topRight: usize, bottomLeft: usize, bottomRight: usize): v128 {
  return i32x4.sub(
    i32x4.sub(v128.load(bottomRight), v128.load(bottomLeft)),
    i32x4.sub(v128.load(topRight), v128.load(topLeft)),
  );
}

/** The sums of the next four. */
// @ts-ignore: decorator
@inline
export function nextWindowSums(topLeft: usize, topRight: usize, bottomLeft: usize, bottomRight: usize): v128 {
  return i32x4.sub(
    i32x4.sub(v128.load(bottomRight, 16), v128.load(bottomLeft, 16)),
    i32x4.sub(v128.load(topRight, 16), v128.load(topLeft, 16)),
  );
}
