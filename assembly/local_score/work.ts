// The working memory of localScore. `localScoreScratch` in core/kernel_limits.ts says how large it is.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { CONSTANTS, storeConstants } from "./exp2";

/**
 * Bytes from the integral image of a candidate to that of the candidate that is added with it: a constant, so that both are read at
 * the same addresses plus an offset. One of 32x32 with any window fits. It is no multiple of 4096: processors mistake such addresses
 * for each other.
 */
export const APART: usize = 18496;

/** What is computed once a call or once an image, and where the rest of the memory is. */
@unmanaged
export class Work {
  /** The part of the images that is compared: a rectangle that holds all pixels that need weights. */
  top: i32;
  left: i32;
  height: i32;
  /** A multiple of 4. */
  width: i32;
  /** Pixels of the rectangle. */
  pixels: i32;
  /** How far a window reaches, at most the size of an image. */
  reachY: i32;
  reachX: i32;
  /** The current image in integers: x = s (Y + 1/2) / 127.5, e = step / 128. */
  step: i32;
  /** Log2 of a weight per unit of a sum. */
  unit: f32;
  /** A sum further below the largest has no weight. */
  reach: i32;
  /** Constants as vectors: see `storeConstants`. */
  constants: usize;
  /** 2 e Y of the rectangle, i16; rows of a multiple of 8 columns. Two channels are side by side, an odd one follows alone. */
  factors: usize;
  /**
   * For each four pixels: the least sums that have a weight, i32; the sums of weights relative to the largest, f32; and for each
   * channel that is answered the bytes of the first candidate, i32, and the weighted sums of the differences from them, f32.
   */
  records: usize;
  /** Bytes of a record. */
  record: usize;
  /** The integral image: its zero row, at the first column of the rectangle; i32. */
  integral: usize;
  /** Bytes from one row of it to the next. */
  pitch: usize;
  /** Candidates that are moved or padded are copied here: `pixels` bytes a channel. */
  copy: usize;
  /** The least and the largest byte of all examples, whole images. */
  low: usize;
  high: usize;
  /** Bytes from one row of a candidate to the next, and from one channel to the next. */
  rowBytes: usize;
  planeBytes: usize;
  /** Of each pixel: its share of a window, or the sum of a candidate; the candidate drawn; the weights before; i32, i32, f32. */
  shares: usize;
  chosen: usize;
  before: usize;
}

/** The next multiple of 4. */
function padded(length: i32): i32 {
  return (length + 3) & -4;
}

/** Columns of a row of `factors`. */
export function factorColumns(work: Work): i32 {
  return (work.width + 7) & -8;
}

/** Lays out the memory; the rectangle is the whole image. */
export function layOut(given: LocalScore): Work {
  const work = changetype<Work>(given.scratch), height = given.height, width = padded(given.width);
  const pixels = <usize> (height * width), channels = <usize> given.channels;
  work.reachY = min(given.window >> 1, height);
  work.reachX = min(given.window >> 1, width);
  const before = <usize> ((work.reachX + 4) & -4) << 2;
  work.pitch = before + (<usize> (width + 4 + ((work.reachX + 3) & -4)) << 2);
  work.record = 32 + (<usize> given.answered << 5);
  work.constants = given.scratch + 128;
  work.records = work.constants + CONSTANTS;
  storeConstants(work.constants);
  work.shares = work.records + (pixels >> 2) * work.record;
  work.chosen = work.shares + (pixels << 2);
  work.before = work.chosen + (pixels << 2);
  work.factors = work.before + (pixels << 2);
  work.copy = work.factors + ((channels * <usize> (height * (width + 4))) << 1);
  work.low = work.copy + channels * pixels + 16;
  work.high = work.low + channels * pixels;
  work.integral = ((work.high + channels * pixels + 15) & -16) + before;
  setRectangle(work, 0, 0, height, width);
  return work;
}

/** Sets the rectangle, and the part of the integral image that is always 0. */
function setRectangle(work: Work, top: i32, left: i32, height: i32, width: i32): void {
  work.top = top;
  work.left = left;
  work.height = height;
  work.width = width;
  work.pixels = height * width;
  clearBorder(work, work.integral);
}

/** Sets the part of an integral image to 0 that always is: its first row, and what is left of the rectangle. */
export function clearBorder(work: Work, integral: usize): void {
  const before = <usize> ((work.reachX + 4) & -4) << 2;
  memory.fill(integral - before, 0, work.pitch);
  for (let y = 1; y <= work.height; y++) memory.fill(integral + <usize> y * work.pitch - before, 0, before);
}

/** Shrinks the rectangle to the pixels that differ between candidates. */
export function restrict(given: LocalScore, work: Work): void {
  const height = given.height, width = given.width, channels = given.channels;
  extremes(given, work);
  let top = height, bottom = -1, left = width, right = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let differs = false;
      for (let channel = 0; channel < channels; channel++) differs = differs || varies(given, work, channel, y, x);
      if (!differs) continue;
      top = min(top, y);
      bottom = max(bottom, y);
      left = min(left, x);
      right = max(right, x);
    }
  }
  const columns = padded(max(right - left + 1, 1));
  setRectangle(work, min(top, height - 1), max(0, min(left, width - columns)), max(bottom - top + 1, 1), columns);
}

/** Shrinks the rectangle to the window around a pixel. */
export function around(given: LocalScore, work: Work, y: i32, x: i32): void {
  const top = max(y - work.reachY, 0), bottom = min(y + work.reachY, given.height - 1);
  const left = max(x - work.reachX, 0), right = min(x + work.reachX, given.width - 1);
  const columns = padded(right - left + 1);
  setRectangle(work, top, max(0, min(left, given.width - columns)), bottom - top + 1, columns);
}

/** Whether candidates differ at a pixel: where examples may be moved, if any pixels do that can be moved there. */
export function varies(given: LocalScore, work: Work, channel: i32, y: i32, x: i32): bool {
  const shift = given.shift, height = given.height, width = given.width;
  let low: u8 = 255, high: u8 = 0;
  for (let v = max(y - shift, 0); v <= min(y + shift, height - 1); v++) {
    for (let u = max(x - shift, 0); u <= min(x + shift, width - 1); u++) {
      const at = <usize> ((channel * height + v) * width + u);
      low = min(low, load<u8>(work.low + at));
      high = max(high, load<u8>(work.high + at));
    }
  }
  return low != high;
}

/** Finds the least and the largest byte of all examples at each pixel. */
function extremes(given: LocalScore, work: Work): void {
  const length = given.channels * given.height * given.width;
  memory.copy(work.low, exampleAt(given, 0), length);
  memory.copy(work.high, exampleAt(given, 0), length);
  for (let n = 1; n < given.count; n++) {
    const example = exampleAt(given, n);
    let i: usize = 0;
    for (; i + 16 <= <usize> length; i += 16) {
      const bytes = v128.load(example + i);
      v128.store(work.low + i, i8x16.min_u(v128.load(work.low + i), bytes));
      v128.store(work.high + i, i8x16.max_u(v128.load(work.high + i), bytes));
    }
    for (; i < <usize> length; i++) {
      const byte = load<u8>(example + i);
      store<u8>(work.low + i, min(load<u8>(work.low + i), byte));
      store<u8>(work.high + i, max(load<u8>(work.high + i), byte));
    }
  }
}

/** The address of an example by its position in the list. */
export function exampleAt(given: LocalScore, position: i32): usize {
  const number = given.numbers ? load<u32>(given.numbers + (<usize> position << 2)) : <u32> position;
  return given.rows + <usize> number * <usize> (given.channels * given.height * given.width);
}

/** Copies the rectangle of an example that is moved by (dy, dx): what is moved in repeats the edge. Beyond the image it is 128. */
export function copyMoved(given: LocalScore, work: Work, example: usize, dy: i32, dx: i32, to: usize): void {
  const height = given.height, width = given.width, columns = min(work.width, width - work.left);
  for (let channel = 0; channel < given.channels; channel++) {
    for (let y = 0; y < work.height; y++, to += work.width) {
      const from = min(max(work.top + y + dy, 0), height - 1),
        row = example + <usize> ((channel * height + from) * width);
      for (let x = 0; x < columns; x++) store<u8>(to + x, load<u8>(row + min(max(work.left + x + dx, 0), width - 1)));
      for (let x = columns; x < work.width; x++) store<u8>(to + x, 128);
    }
  }
}

/** Where the rectangle of a candidate is: in the training images, or in a copy if it is moved or not a multiple of 4 wide. */
export function candidateAt(given: LocalScore, work: Work, position: i32, dy: i32, dx: i32): usize {
  const example = exampleAt(given, position);
  if (dy == 0 && dx == 0 && work.left + work.width <= given.width) {
    work.rowBytes = given.width;
    work.planeBytes = given.width * given.height;
    return example + <usize> (work.top * given.width + work.left);
  }
  copyMoved(given, work, example, dy, dx, work.copy);
  work.rowBytes = work.width;
  work.planeBytes = work.pixels;
  return work.copy;
}
