// The local score machine (Kamb and Ganguli 2025): each pixel is the mean of the training images, weighted by how likely the
// window around it is a noisy version of theirs.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { LocalScore } from "../descriptors";
import { exp2 } from "./exp2";
import { addPairs } from "./pairs";
import { ADD, DRAW, NEAREST, OVERLAP, passOver, prepareDraw, prepareNearest, prepareOverlap, WRITE } from "./passes";
import { clear } from "./posterior";
import { round, takeBytes } from "./query";
// deno-lint-ignore verbatim-module-syntax -- as above
import { around, copyMoved, exampleAt, layOut, restrict, Work } from "./work";

/** Denoises a batch. An image is in integers while it is compared, so that no order of additions changes a sum. */
export function localScore(given: LocalScore, signal: f64, variance: f64): void {
  const work = layOut(given), all = given.response != 0 || given.uniform != 0;
  const inPlane = <usize> (given.height * given.width), size = <usize> given.channels * inPlane;
  if (!all) restrict(given, work);
  for (let b: usize = 0; b < <usize> given.batch; b++) {
    const out = given.out + ((b * <usize> given.answered * inPlane) << 2);
    round(given, work, given.images + ((b * size) << 2), signal, variance);
    copyMoved(given, work, exampleAt(given, 0), -given.shift, -given.shift, work.copy);
    clear(given, work, work.copy, all);
    const used = given.used ? given.used + b * <usize> given.count : 0;
    passOver(given, work, ADD, used, 0, addPairs(given, work, used));
    if (given.uniform) {
      prepareDraw(work);
      passOver(given, work, DRAW, given.uniform + ((b * inPlane) << 3), 0);
      writeDrawn(given, work, out);
      if (given.drawn) writeChosen(given, work, given.drawn + ((b * inPlane) << 2));
    } else {
      if (given.response) {
        prepareOverlap(given, work);
        passOver(given, work, OVERLAP, 0, 0);
      }
      writeMeans(given, work, out);
    }
  }
}

/** Writes the weights of all candidates in the window around pixel (y, x) of an image of the batch. */
export function localScoreWeights(
  given: LocalScore,
  signal: f64,
  variance: f64,
  image: i32,
  y: i32,
  x: i32,
  out: usize,
): void {
  const work = layOut(given), size = <usize> (given.channels * given.height * given.width);
  around(given, work, y, x);
  round(given, work, given.images + ((<usize> image * size) << 2), signal, variance);
  passOver(given, work, WRITE, out, (y - work.top) * work.width + x - work.left);
  const moves = 2 * given.shift + 1, end = out + (<usize> (given.count * moves * moves) << 2);
  let largest = i32.MIN_VALUE, total: f64 = 0.0;
  for (let i = out; i < end; i += 4) largest = max(largest, load<i32>(i));
  for (let i = out; i < end; i += 4) {
    const sum = load<i32>(i), t = f32x4.splat(<f32> (sum - largest) * work.unit);
    const weight = sum < largest - work.reach ? <f32> 0.0 : f32x4.extract_lane(exp2(t, work.constants), 0);
    store<f32>(i, weight);
    total += <f64> weight;
  }
  for (let i = out; i < end; i += 4) store<f32>(i, <f32> (<f64> load<f32>(i) / total));
}

/** Writes the number of the candidate whose window is nearest to that of each pixel of the images, of equal ones the first. */
export function nearestWindows(given: LocalScore, out: usize): void {
  const work = layOut(given), inPlane = <usize> (given.height * given.width);
  for (let b: usize = 0; b < <usize> given.batch; b++) {
    takeBytes(given, work, given.images + ((b * <usize> given.channels * inPlane) << 2));
    prepareNearest(work);
    passOver(given, work, NEAREST, 0, 0);
    writeChosen(given, work, out + ((b * inPlane) << 2));
  }
}

/** A level u, relative to 128, as a pixel in [-1, 1]. */
function pixel(level: f32): f32 {
  return min<f32>(max<f32>((level + 0.5) / 127.5, -1.0), 1.0);
}

/** The byte less 128 at pixel (y, x) of an example that is moved by (dy, dx). */
function levelAt(given: LocalScore, example: usize, channel: i32, y: i32, x: i32): i32 {
  const row = min(max(y, 0), given.height - 1), column = min(max(x, 0), given.width - 1);
  return <i32> load<u8>(example + <usize> ((channel * given.height + row) * given.width + column)) - 128;
}

/** Writes u_0 + sums / total; u_0 outside the rectangle and where no weights are needed. */
function writeMeans(given: LocalScore, work: Work, out: usize): void {
  const example = exampleAt(given, 0), shift = given.shift;
  for (let channel = 0; channel < given.answered; channel++) {
    for (let y = 0; y < given.height; y++) {
      for (let x = 0; x < given.width; x++, out += 4) {
        const level: f32 = <f32> levelAt(given, example, channel, y - shift, x - shift);
        const row = y - work.top, column = x - work.left;
        let mean: f32 = 0.0;
        if (row >= 0 && row < work.height && column >= 0 && column < work.width) {
          const number = row * work.width + column, lane = <usize> (number & 3) << 2;
          const record = work.records + <usize> (number >> 2) * work.record + lane, total = load<f32>(record, 16);
          if (total > 0.0) mean = load<f32>(record + (channel << 5), 48) / total;
        }
        store<f32>(out, pixel(level + mean));
      }
    }
  }
}

/** Writes what was drawn for each window at its centre, or the mean over the windows that hold a pixel. */
function writeDrawn(given: LocalScore, work: Work, out: usize): void {
  const height = given.height, width = given.width, reach = given.response ? max(height, width) : 0;
  const reachY = min(reach, work.reachY), reachX = min(reach, work.reachX);
  for (let channel = 0; channel < given.answered; channel++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++, out += 4) {
        let sum = 0, windows = 0;
        for (let v = max(y - reachY, 0); v <= min(y + reachY, height - 1); v++) {
          for (let u = max(x - reachX, 0); u <= min(x + reachX, width - 1); u++, windows++) {
            sum += drawnLevel(given, load<i32>(work.chosen + (<usize> (v * work.width + u) << 2)), channel, y, x);
          }
        }
        store<f32>(out, pixel(<f32> sum / <f32> windows));
      }
    }
  }
}

/** The byte less 128 of a candidate by its number. */
function drawnLevel(given: LocalScore, candidate: i32, channel: i32, y: i32, x: i32): i32 {
  const side = 2 * given.shift + 1, position = candidate / (side * side), move = candidate - position * side * side;
  const dy = move / side, dx = move - dy * side;
  return levelAt(given, exampleAt(given, position), channel, y + dy - given.shift, x + dx - given.shift);
}

/** Writes the numbers of the candidates drawn. */
function writeChosen(given: LocalScore, work: Work, drawn: usize): void {
  for (let y = 0; y < given.height; y++) {
    memory.copy(drawn, work.chosen + (<usize> (y * work.width) << 2), <usize> given.width << 2);
    drawn += <usize> given.width << 2;
  }
}
