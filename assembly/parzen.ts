// The Parzen window of equation (patch ll): log of a sum of Gaussians over all examples, from exact integer distances.
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { ParzenWindow } from "./descriptors";
import { addSquare, pair } from "./lanes";
import { exp, log } from "./math";

/** Terms below e^-24 of the largest are left out: with 100,000 examples they are less than 4e-6 of the sum. */
const CUT: f64 = 24.0;
/** exp is tabled for the first distances and for `STEPS` multiples of `STEP`: up to 4 million a term is one product. */
const STEP: i32 = 1024;
const STEPS: i32 = 4096;
/** Queries in a pass. */
const TILE: i32 = 4;
/** Bytes of a query's state: i32 least distance so far, f64 sum relative to it. */
const STATE: usize = 16;

/**
 * Writes the log of the sum over all examples of exp(-perDistance * distance) for each image of a batch, `batch` f64. -Infinity if
 * there are no examples.
 */
export function parzen(window: ParzenWindow, perDistance: f64, out: usize): void {
  const table = window.table, numbers = window.numbers, planes = window.planes, count = window.count;
  const segments = window.segments, images = window.images, pixels = window.pixels, batch = window.batch;
  const scratch = window.scratch;
  const fine = scratch, coarse = fine + (STEP << 3), states = coarse + (STEPS << 3), queries = states + TILE * STATE;
  for (let i = 0; i < STEP; i++) store<f64>(fine + (<usize> i << 3), exp(-perDistance * <f64> i));
  for (let i = 0; i < STEPS; i++) store<f64>(coarse + (<usize> i << 3), exp(-perDistance * <f64> (i * STEP)));
  // Terms whose distance is larger than the least by more than this are left out.
  const reach = <i32> min<f64>(CUT / perDistance, <f64> i32.MAX_VALUE);
  for (let b = 0; b < batch; b += TILE) {
    for (let q = 0; q < TILE; q++) {
      store<i32>(states + <usize> q * STATE, i32.MAX_VALUE - reach);
      store<f64>(states + <usize> q * STATE, 0.0, 8);
      // Beyond the batch the last image stands in; its state is not read.
      const image = images + <usize> (min(b + q, batch - 1) * pixels);
      for (let p = 0; p < planes; p++) {
        store<i16>(
          queries + (<usize> (q * planes + p) << 1),
          <i16> load<u8>(image + load<u32>(numbers + (<usize> p << 2))),
        );
      }
    }
    for (let segment = 0; segment < segments; segment++) {
      scan(table + (<usize> (segment * planes) << 2), planes, count, queries, reach, fine, states, perDistance);
    }
    for (let q = 0; q < min(TILE, batch - b); q++) {
      const state = states + <usize> q * STATE;
      store<f64>(out + (<usize> (b + q) << 3), log(load<f64>(state, 8)) - perDistance * <f64> load<i32>(state));
    }
  }
}

/** Compares one segment's examples with four queries. */
function scan(
  table: usize,
  planes: i32,
  count: i32,
  queries: usize,
  reach: i32,
  fine: usize,
  states: usize,
  perDistance: f64,
): void {
  const width = <usize> planes << 1, end = queries + width;
  for (let j = 0; j < count; j += 8) {
    let low0 = i32x4.splat(0), low1 = low0, low2 = low0, low3 = low0;
    let high0 = low0, high1 = low0, high2 = low0, high3 = low0;
    let plane = table;
    for (let q0 = queries; q0 < end; q0 += 4) {
      const bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j);
      const low = i16x8.extend_low_i8x16_u(bytes), high = i16x8.extend_high_i8x16_u(bytes);
      const q1 = q0 + width, q2 = q1 + width;
      let query = v128.load32_splat(q0);
      low0 = addSquare(low0, low, query);
      high0 = addSquare(high0, high, query);
      query = v128.load32_splat(q1);
      low1 = addSquare(low1, low, query);
      high1 = addSquare(high1, high, query);
      query = v128.load32_splat(q2);
      low2 = addSquare(low2, low, query);
      high2 = addSquare(high2, high, query);
      query = v128.load32_splat(q2 + width);
      low3 = addSquare(low3, low, query);
      high3 = addSquare(high3, high, query);
      plane += 8;
    }
    const left = count - j;
    take(states, low0, high0, left, reach, fine, perDistance);
    take(states + STATE, low1, high1, left, reach, fine, perDistance);
    take(states + 2 * STATE, low2, high2, left, reach, fine, perDistance);
    take(states + 3 * STATE, low3, high3, left, reach, fine, perDistance);
  }
}

/** Adds those of eight distances that are within reach of the least. */
function take(state: usize, low: v128, high: v128, left: i32, reach: i32, fine: usize, perDistance: f64): void {
  const bound = i32x4.splat(load<i32>(state) + reach);
  let near = i32x4.bitmask(i32x4.le_s(low, bound)) | (i32x4.bitmask(i32x4.le_s(high, bound)) << 4);
  if (left < 8) near &= (1 << left) - 1;
  if (near == 0) return;
  if (near & 1) addTerm(state, i32x4.extract_lane(low, 0), reach, fine, perDistance);
  if (near & 2) addTerm(state, i32x4.extract_lane(low, 1), reach, fine, perDistance);
  if (near & 4) addTerm(state, i32x4.extract_lane(low, 2), reach, fine, perDistance);
  if (near & 8) addTerm(state, i32x4.extract_lane(low, 3), reach, fine, perDistance);
  if (near & 16) addTerm(state, i32x4.extract_lane(high, 0), reach, fine, perDistance);
  if (near & 32) addTerm(state, i32x4.extract_lane(high, 1), reach, fine, perDistance);
  if (near & 64) addTerm(state, i32x4.extract_lane(high, 2), reach, fine, perDistance);
  if (near & 128) addTerm(state, i32x4.extract_lane(high, 3), reach, fine, perDistance);
}

/** Adds one distance to a query's sum, which is relative to the least distance so far. */
function addTerm(state: usize, distance: i32, reach: i32, fine: usize, perDistance: f64): void {
  const least = load<i32>(state), difference = distance - least;
  if (difference < 0) {
    store<f64>(state, load<f64>(state, 8) * exp(perDistance * <f64> difference) + 1.0, 8);
    store<i32>(state, distance);
  } else if (difference <= reach) {
    const term = difference < STEP * STEPS
      ? load<f64>(fine + (<usize> (difference & (STEP - 1)) << 3)) *
        load<f64>(fine + (<usize> (STEP + (difference >> 10)) << 3))
      : exp(-perDistance * <f64> difference);
    store<f64>(state, load<f64>(state, 8) + term, 8);
  }
}
