// deno-fmt-ignore-file: the formatter drops decorators.
// Two candidates at a time, for images of two channels of which one is answered: grey ones with their mirror images. Candidates share
// the factors, the least sums, the constants of exp2 and the counting of loops, and are added in their order: no bit changes. One by
// one, the 20 steps of a built-in portrait took 40.3 ms of processor time in place of 35.1 ms.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { lowPairs } from "../lanes";
import { halvesAt, signsAt } from "./exp2";
import { addFour } from "./posterior";
import { last, nextWindowSums, pairTerms, prefix, repeatLast, rowAbove, rowBelow, windowSums } from "./sums";
// deno-lint-ignore verbatim-module-syntax -- as above
import { APART, candidateAt, clearBorder, Work } from "./work";

/** Adds as many candidates as can be added in pairs, and marks those that have a weight at `used`, unless it is 0. Returns how many. */
export function addPairs(given: LocalScore, work: Work, used: usize): i32 {
  const fits = <usize> (work.height + 1) * work.pitch <= APART && work.left + work.width <= given.width;
  if (!fits || given.channels != 2 || given.answered != 1 || given.shift != 0 || (work.width & 7) != 0) return 0;
  const paired = given.count & -2;
  clearBorder(work, work.integral + APART);
  for (let n = 0; n < paired; n += 2) {
    const first = candidateAt(given, work, n, 0, 0), second = candidateAt(given, work, n + 1, 0, 0);
    integrateTwo(work, first, second);
    const counted = addTwo(work, first, second);
    if (!used) continue;
    if (i64x2.extract_lane(counted, 0) != 0 || n == 0) store<u8>(used + n, 1);
    if (i64x2.extract_lane(counted, 1) != 0) store<u8>(used + n, 1, 1);
  }
  return paired;
}

/** Does the same as `integrate` for two candidates. */
function integrateTwo(work: Work, first: usize, second: usize): void {
  const sign = signsAt(work.constants), half = halvesAt(work.constants);
  const whole = i16x8.splat(<i16> (work.step >> 7)), part = i16x8.splat(<i16> (work.step & 127));
  const pitch = work.pitch, planeBytes = work.planeBytes, rowBytes = work.rowBytes, width = work.width, reach = work.reachX;
  let factors = work.factors, above = work.integral;
  for (let y = 0; y < work.height; y++, first += rowBytes, second += rowBytes, above += pitch) {
    let carry = i32x4.splat(0), other = carry, at = above, a = first, b = second;
    for (const end = factors + (<usize> width << 2); factors < end; factors += 32, a += 8, b += 8, at += 32) {
      const factor = v128.load(factors), next = v128.load(factors, 16), below = at + pitch;
      let bytes = v128.xor(lowPairs(v128.load64_zero(a), v128.load64_zero(a + planeBytes)), sign);
      let low = i32x4.add(prefix(pairTerms(i16x8.extend_low_i8x16_s(bytes), factor, whole, part, half)), carry);
      let high = i32x4.add(prefix(pairTerms(i16x8.extend_high_i8x16_s(bytes), next, whole, part, half)), last(low));
      carry = last(high);
      v128.store(below, i32x4.add(v128.load(at), low));
      v128.store(below, i32x4.add(v128.load(at, 16), high), 16);
      bytes = v128.xor(lowPairs(v128.load64_zero(b), v128.load64_zero(b + planeBytes)), sign);
      low = i32x4.add(prefix(pairTerms(i16x8.extend_low_i8x16_s(bytes), factor, whole, part, half)), other);
      high = i32x4.add(prefix(pairTerms(i16x8.extend_high_i8x16_s(bytes), next, whole, part, half)), last(low));
      other = last(high);
      v128.store(below, i32x4.add(v128.load(at, APART), low), APART);
      v128.store(below, i32x4.add(v128.load(at, APART + 16), high), APART + 16);
    }
    repeatLast(at + pitch, reach);
    repeatLast(at + pitch + APART, reach);
  }
}

/** Does the same as `addCandidate` for two candidates. Returns a lane of 64 bits for each, which is 0 if it is not counted. */
function addTwo(work: Work, first: usize, second: usize): v128 {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2, rowBytes = work.rowBytes, apart = work.record;
  const reach = i32x4.splat(work.reach), unit = f32x4.splat(work.unit), constants = work.constants, beside = second - first;
  let counted = i32x4.splat(0), record = work.records;
  for (let y = 0; y < work.height; y++, first += rowBytes) {
    const above = rowAbove(work, y), below = rowBelow(work, y);
    let topLeft = above - left, topRight = above + right, bottomLeft = below - left, bottomRight = below + right, at = first;
    for (const end = first + work.width; at < end; at += 8, record += apart << 1) {
      const sum = windowSums(topLeft, topRight, bottomLeft, bottomRight), next = nextWindowSums(topLeft, topRight, bottomLeft, bottomRight);
      const other = i32x4.sub(
        i32x4.sub(v128.load(bottomRight, APART), v128.load(bottomLeft, APART)),
        i32x4.sub(v128.load(topRight, APART), v128.load(topLeft, APART)),
      );
      const otherNext = i32x4.sub(
        i32x4.sub(v128.load(bottomRight, APART + 16), v128.load(bottomLeft, APART + 16)),
        i32x4.sub(v128.load(topRight, APART + 16), v128.load(topLeft, APART + 16)),
      );
      topLeft += 32;
      topRight += 32;
      bottomLeft += 32;
      bottomRight += 32;
      const few = i32x4.gt_s(v128.load(record), i32x4.max_s(sum, other)), fewNext = i32x4.gt_s(v128.load(record + apart), i32x4.max_s(next, otherNext));
      if (i32x4.bitmask(v128.and(few, fewNext)) == 15) continue;
      if (i32x4.bitmask(few) != 15) counted = v128.or(counted, addToRecord(record, sum, other, at, beside, reach, unit, constants));
      if (i32x4.bitmask(fewNext) != 15) counted = v128.or(counted, addToRecord(record + apart, next, otherNext, at + 4, beside, reach, unit, constants));
    }
  }
  return counted;
}

/**
 * Adds the weights of two candidates at four pixels to a record. The bytes of the second are `beside` behind those of the first.
 * Both weights take the same steps at once, so that each constant is loaded once. Returns as `addTwo` does.
 */
// @ts-ignore: decorator
@inline
function addToRecord(record: usize, sum: v128, other: v128, bytes: usize, beside: usize, reach: v128, unit: v128, constants: usize): v128 {
  const least = v128.load(record), largest = i32x4.add(least, reach);
  if (v128.any_true(i32x4.gt_s(i32x4.max_s(sum, other), largest))) return addGrowing(record, sum, other, bytes, beside, reach, unit, constants);
  const counts = i32x4.ge_s(sum, least), counted = i32x4.ge_s(other, least), magic = v128.load(constants);
  const s = f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(sum, largest)), unit), t = f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(other, largest)), unit);
  const whole = f32x4.add(s, magic), wholeNext = f32x4.add(t, magic);
  const r = f32x4.sub(s, f32x4.sub(whole, magic)), q = f32x4.sub(t, f32x4.sub(wholeNext, magic));
  let c = v128.load(constants, 16), p = f32x4.mul(r, c), o = f32x4.mul(q, c);
  c = v128.load(constants, 32);
  p = f32x4.mul(r, f32x4.add(p, c));
  o = f32x4.mul(q, f32x4.add(o, c));
  c = v128.load(constants, 48);
  p = f32x4.mul(r, f32x4.add(p, c));
  o = f32x4.mul(q, f32x4.add(o, c));
  c = v128.load(constants, 64);
  p = f32x4.mul(r, f32x4.add(p, c));
  o = f32x4.mul(q, f32x4.add(o, c));
  c = v128.load(constants, 80);
  p = v128.and(i32x4.add(f32x4.add(p, c), i32x4.shl(whole, 23)), counts);
  o = v128.and(i32x4.add(f32x4.add(o, c), i32x4.shl(wholeNext, 23)), counted);
  v128.store(record, f32x4.add(f32x4.add(v128.load(record, 16), p), o), 16);
  const first = v128.load(record, 32);
  const mean = f32x4.add(v128.load(record, 48), f32x4.mul(p, difference(bytes, first)));
  v128.store(record, f32x4.add(mean, f32x4.mul(o, difference(bytes + beside, first))), 48);
  return i16x8.narrow_i32x4_s(counts, counted);
}

/** Does the same where a sum is larger than the largest so far: one candidate after the other. */
function addGrowing(record: usize, sum: v128, other: v128, bytes: usize, beside: usize, reach: v128, unit: v128, constants: usize): v128 {
  const counts = i32x4.ge_s(sum, v128.load(record));
  addFour(record, sum, bytes, reach, unit, constants, 0, 1);
  const counted = i32x4.ge_s(other, v128.load(record));
  addFour(record, other, bytes + beside, reach, unit, constants, 0, 1);
  return i16x8.narrow_i32x4_s(counts, counted);
}

/** How far four bytes are from those of the first candidate. */
// @ts-ignore: decorator
@inline
function difference(bytes: usize, first: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.sub(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(bytes))), first));
}
