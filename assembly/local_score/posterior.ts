// deno-fmt-ignore-file: the formatter drops decorators.
// The weights of candidates: sums over windows become weights relative to the largest so far, in a running softmax.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { weights } from "./exp2";
import { nextWindowSums, rowAbove, rowBelow, windowSums } from "./sums";
// deno-lint-ignore verbatim-module-syntax -- as above
import { varies, Work } from "./work";

/** Below every sum. */
const NONE: i32 = -1060000000;

/** Begins an image. Pixels that all candidates have in common need no weights: no sum is as large as their least. */
export function clear(given: LocalScore, work: Work, first: usize, all: bool): void {
  let number = 0;
  memory.fill(work.records, 0, (work.pixels >> 2) * work.record);
  for (let y = work.top; y < work.top + work.height; y++) {
    for (let x = work.left; x < work.left + work.width; x++, number++) {
      const at = work.records + (<usize> (number >> 2)) * work.record + ((number & 3) << 2);
      let needed = all;
      for (let channel = 0; channel < given.channels; channel++) {
        if (x < given.width) needed = needed || varies(given, work, channel, y, x);
        if (channel >= given.answered) continue;
        store<i32>(at + (channel << 5), load<u8>(first + channel * work.pixels + number), 32);
      }
      store<i32>(at, (needed && x < given.width ? NONE : i32.MAX_VALUE) - work.reach);
    }
  }
}

/** Adds a candidate where its sums are large enough. Returns whether they are anywhere. */
export function addCandidate(work: Work, candidate: usize, channels: i32): bool {
  const left = <usize> (work.reachX + 1) << 2, right = <usize> work.reachX << 2, rowBytes = work.rowBytes, apart = work.record;
  const reach = i32x4.splat(work.reach), unit = f32x4.splat(work.unit), constants = work.constants, planeBytes = work.planeBytes;
  let any = false, record = work.records;
  for (let y = 0; y < work.height; y++, candidate += rowBytes) {
    const above = rowAbove(work, y), below = rowBelow(work, y), end = candidate + work.width;
    let topLeft = above - left, topRight = above + right, bottomLeft = below - left, bottomRight = below + right, at = candidate;
    for (; at + 4 < end; at += 8, record += apart << 1) {
      const sum = windowSums(topLeft, topRight, bottomLeft, bottomRight), next = nextWindowSums(topLeft, topRight, bottomLeft, bottomRight);
      topLeft += 32;
      topRight += 32;
      bottomLeft += 32;
      bottomRight += 32;
      const few = i32x4.gt_s(v128.load(record), sum), fewNext = i32x4.gt_s(v128.load(record + apart), next);
      if (i32x4.bitmask(v128.and(few, fewNext)) == 15) continue;
      any = true;
      if (i32x4.bitmask(few) != 15) addFour(record, sum, at, reach, unit, constants, planeBytes, channels);
      if (i32x4.bitmask(fewNext) != 15) addFour(record + apart, next, at + 4, reach, unit, constants, planeBytes, channels);
    }
    if (at == end) continue;
    const sum = windowSums(topLeft, topRight, bottomLeft, bottomRight);
    if (i32x4.bitmask(i32x4.gt_s(v128.load(record), sum)) != 15) {
      any = true;
      addFour(record, sum, at, reach, unit, constants, planeBytes, channels);
    }
    record += apart;
  }
  return any;
}

/** Adds the weights of four pixels, some of whose sums are large enough, to a record. */
// @ts-ignore: decorator
@inline
export function addFour(record: usize, sum: v128, bytes: usize, reach: v128, unit: v128, constants: usize, planeBytes: usize, channels: i32): void {
  let least = v128.load(record), largest = i32x4.add(least, reach);
  if (i32x4.bitmask(i32x4.gt_s(sum, largest)) != 0) {
    grow(record, sum, reach, unit, channels, constants);
    least = v128.load(record);
    largest = i32x4.add(least, reach);
  }
  addWeighted(record, weights(sum, largest, i32x4.ge_s(sum, least), unit, constants), bytes, planeBytes, channels);
}

/** Adds four weights to a record, and the weighted differences of bytes from those of the first candidate. */
// @ts-ignore: decorator
@inline
export function addWeighted(record: usize, weight: v128, bytes: usize, planeBytes: usize, channels: i32): void {
  v128.store(record, f32x4.add(v128.load(record, 16), weight), 16);
  do {
    const levels = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(bytes)));
    const difference = f32x4.convert_i32x4_s(i32x4.sub(levels, v128.load(record, 32)));
    v128.store(record, f32x4.add(v128.load(record, 48), f32x4.mul(weight, difference)), 48);
    bytes += planeBytes;
    record += 32;
  } while (--channels > 0);
}

/** Raises the largest sums of a record to those that are larger; weights so far shrink. */
function grow(record: usize, sum: v128, reach: v128, unit: v128, channels: i32, constants: usize): void {
  const largest = i32x4.add(v128.load(record), reach), grown = i32x4.max_s(largest, sum), least = i32x4.sub(grown, reach);
  const factor = weights(largest, grown, i32x4.ge_s(largest, least), unit, constants);
  v128.store(record, least);
  v128.store(record, f32x4.mul(v128.load(record, 16), factor), 16);
  for (let channel = 0; channel < channels; channel++, record += 32) {
    v128.store(record, f32x4.mul(v128.load(record, 48), factor), 48);
  }
}
