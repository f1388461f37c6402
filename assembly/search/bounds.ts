// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Lower bounds of distances from features, of which there are fewer than planes. F is a feature of an example, F_q of the query:
//   distance >= 2^UNIT * sum over the features of (F - F_q)^2.
// Rounding moves F - F_q by 1 at the most, and therefore the root of the sum over n features by sqrt(n).
//
// Features are sums of planes. Where neighbouring planes are alike they rule out most examples.
// A group of g planes has the scales s_p, and s > 0 is the least of them. Its feature is F = s / (2 g) * sum of x_p for an
// example and F_q = s / (2 g) * sum of q_p / s_p for the query. By the inequality of Cauchy and Schwarz
//   sum of (s_p x_p - q_p)^2 >= s^2 / g * (sum of x_p - q_p / s_p)^2 = 4 g (F - F_q)^2.
//
// Or they are projections on given axes, F = 2^-SHIFT * sum of a_p s_p x_p and F_q = 2^-SHIFT * sum of a_p q_p. The rows a of the
// axes make a matrix whose largest singular value is 2^SHIFT / sqrt(2^UNIT) at the most. So they make no distance larger.
import { multiplyAdd, pair } from "../lanes";
// deno-lint-ignore verbatim-module-syntax -- AssemblyScript knows no "import type"
import { Comparison } from "../descriptors";
// deno-lint-ignore verbatim-module-syntax -- and no "import { type }"
import { distancesOf, Query, Search, tableOf, TILE, valuesOf } from "./state";

/** Planes that are summed to one feature. */
export const GROUP: i32 = 8;
/** Squared distances of features are in units of 4 x `GROUP`, which is 2 to this power; with axes in the same. */
export const UNIT: i32 = 5;
/** Projections on the axes are divided by 2 to this power. */
export const SHIFT: i32 = 15;
/** Sums pay if at most this part of all examples, times the planes, is to be found and sums see the whole distance. */
const LEFT_PER_PLANE: f64 = 0.0001;

/** Writes the factor of each feature that `packSums` multiplies sums by: 128 s, or 0 if one of its planes does not count. */
export function writeFactors(search: Search): void {
  const group = GROUP, planes = search.given.planes;
  for (let f = 0; f < search.features; f++) {
    let least = f * group < planes ? 128 : 0;
    for (let p = f * group; p < min((f + 1) * group, planes); p++) {
      least = min(least, <i32> load<i16>(search.given.scale + (<usize> p << 1)));
    }
    store<i16>(search.factors + (<usize> f << 1), <i16> (least << 7));
  }
}

/**
 * Writes -2 x the features of query `b`, and their sum of squares. The four queries of a tile take turns, with a pair of
 * features each.
 */
export function writeFeatures(search: Search, b: i32, query: Query): void {
  const given = search.given, values = valuesOf(given, b), width = <usize> search.features << 1;
  const to = search.values + <usize> (b - b % TILE) * width + (<usize> (b % TILE) << 2);
  let square = 0;
  for (let f = 0; f < search.features; f++) {
    let value = 0;
    if (!search.bounds) {
      value = <i32> load<i16>(values + (<usize> f << 1));
    } else if (given.axes != 0) {
      const axis = given.axes + (<usize> (f * given.planes) << 1);
      for (let p = 0; p < given.planes << 1; p += 2) value += <i32> load<i16>(axis + p) * <i32> load<i16>(values + p);
      value = (value + (1 << (SHIFT - 1))) >> SHIFT;
    } else {
      const least = <i32> load<i16>(search.factors + (<usize> f << 1)) >> 7;
      let sum = 0.0;
      for (let p = f * GROUP; least > 0 && p < min((f + 1) * GROUP, given.planes); p++) {
        sum += <f64> load<i16>(values + (<usize> p << 1)) / <f64> load<i16>(given.scale + (<usize> p << 1));
      }
      value = <i32> Math.floor(sum * <f64> least / <f64> (2 * GROUP) + 0.5);
    }
    square += value * value;
    store<i16>(to + (<usize> (f >> 1) << 4) + (<usize> (f & 1) << 1), <i16> (-2 * value));
  }
  query.square = square;
  query.fromBlack = 0;
  for (let p = 0; p < given.planes && given.axes != 0; p++) {
    const value = <i32> load<i16>(values + (<usize> p << 1));
    query.fromBlack += value * value;
  }
}

/**
 * Limits a query's list to distances below `bound`, and the scan to what may be that near: in the unit of the features
 * (sqrt(bound) + sqrt(features))^2, since rounding may have moved a feature by 1.
 */
export function setBound(search: Search, query: Query, bound: i32): void {
  query.bound = bound;
  if (bound == 0 || !search.bounds) {
    // Without bounds the two are the same. No distance is below 0: nothing is in reach of a bound of 0.
    query.reach = bound - query.square;
  } else {
    const most = Math.sqrt(<f64> bound / <f64> (1 << UNIT)) + Math.sqrt(<f64> search.features);
    query.reach = <i32> min(most * most + 1.0, <f64> i32.MAX_VALUE) - query.square;
  }
}

/**
 * Estimates whether sums of planes rule out so many examples that they pay, if `part` of all are to be found. A few examples
 * and two queries give the ratio of the distance that sums see to the whole distance. The smaller it is, the more examples
 * look near that are not: about as its fifth power, measured on faces, digits and textures. On all of them this chooses the
 * faster way.
 */
export function sumsPay(given: Comparison, part: f64): bool {
  const planes = given.planes, count = given.count, segments = given.segments, scale = given.scale;
  let seen = f64x2.splat(0), all = f64x2.splat(0), whole = f64x2.splat(0);
  for (let t = 0; t < min(2, given.batch); t++) {
    const b = t * (given.batch - 1), query = valuesOf(given, b), known = distancesOf(given, given.known, b);
    // Two times eight examples that lie together: sixteen others would each cost a cache line of every plane.
    for (let place = 1; place < 4; place += 2) {
      const j = max(min(count * place >> 2, count - 8), 0), segment = place * segments >> 2;
      const addresses = tableOf(given, segment);
      if (known != 0) {
        const at = known + (<usize> (segment * count + j) << 2);
        whole = f64x2.add(whole, f64x2.add(toF64(v128.load(at)), toF64(v128.load(at, 16))));
      }
      for (let first = 0; first < planes; first += GROUP) {
        let low = i32x4.splat(0), high = low, sumLow = low, sumHigh = low;
        for (let p = first; p < min(first + GROUP, planes); p += 2) {
          const plane = addresses + (<usize> p << 2), bytes = pair(load<u32>(plane) + j, load<u32>(plane, 4) + j);
          const by = v128.load32_splat(scale + (<usize> p << 1)), two = v128.load32_splat(query + (<usize> p << 1));
          const a = i16x8.sub(i16x8.mul(i16x8.extend_low_i8x16_u(bytes), by), two);
          const b = i16x8.sub(i16x8.mul(i16x8.extend_high_i8x16_u(bytes), by), two);
          low = multiplyAdd(low, a, a);
          high = multiplyAdd(high, b, b);
          sumLow = multiplyAdd(sumLow, a, i16x8.splat(1));
          sumHigh = multiplyAdd(sumHigh, b, i16x8.splat(1));
        }
        // This assumes that a group's scales are all the same, which mostly holds: it is an estimate, not a bound.
        seen = f64x2.add(seen, f64x2.add(squares(sumLow), squares(sumHigh)));
        all = f64x2.add(all, toF64(i32x4.add(low, high)));
      }
    }
  }
  const exact = sumOf(whole), distance = exact + sumOf(all), sums = exact + sumOf(seen) / <f64> GROUP;
  const ratio = distance > 0.0 ? sums / distance : 1.0, squared = ratio * ratio;
  return part <= LEFT_PER_PLANE * <f64> planes * squared * squared * ratio;
}

// @ts-ignore: decorator
@inline
function sumOf(v: v128): f64 {
  return f64x2.extract_lane(v, 0) + f64x2.extract_lane(v, 1);
}

/** Adds four integers in pairs. */
// @ts-ignore: decorator
@inline
function toF64(v: v128): v128 {
  return f64x2.add(f64x2.convert_low_i32x4_s(v), f64x2.convert_low_i32x4_s(i32x4.shuffle(v, v, 2, 3, 0, 1)));
}

/** Adds the squares of four integers in pairs. */
// @ts-ignore: decorator
@inline
function squares(v: v128): v128 {
  const a = f64x2.convert_low_i32x4_s(v), b = f64x2.convert_low_i32x4_s(i32x4.shuffle(v, v, 2, 3, 0, 1));
  return f64x2.add(f64x2.mul(a, a), f64x2.mul(b, b));
}
