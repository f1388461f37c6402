// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// exp and log in f64. Those of JavaScript engines differ in their last bits, and the last bit may decide which patch is drawn.
// Therefore every exp and log on the path to a pixel is these few additions and multiplications, the same on every engine.

const LOG2E: f64 = 1.4426950408889634;
const LN2_HIGH: f64 = 0.6931471803691238; // the upper bits of ln 2: its product with an exponent is exact
const LN2_LOW: f64 = 1.9082149292705877e-10;
const SQRT2: f64 = 1.4142135623730951;

/** e^x within 2 units in the last place; 0 below -708, +Infinity above 709. */
// @ts-ignore: decorator
@inline
export function exp(x: f64): f64 {
  if (x < -708.0) return 0.0;
  if (x > 709.0) return Infinity;
  const k = Math.floor(x * LOG2E + 0.5);
  const r = (x - k * LN2_HIGH) - k * LN2_LOW;
  // Taylor series to degree 13: with |r| <= ln(2) / 2 the remainder is below 5e-18.
  let p: f64 = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * reinterpret<f64>((<i64> k + 1023) << 52);
}

/** e^x of two numbers, of which none is above 709: the same bits as `exp` gives. */
// @ts-ignore: decorator
@inline
export function expOfTwo(x: v128): v128 {
  const k = f64x2.floor(f64x2.add(f64x2.mul(x, f64x2.splat(LOG2E)), f64x2.splat(0.5)));
  const r = f64x2.sub(f64x2.sub(x, f64x2.mul(k, f64x2.splat(LN2_HIGH))), f64x2.mul(k, f64x2.splat(LN2_LOW)));
  let p = f64x2.splat(1.0 / 6227020800.0);
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 479001600.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 39916800.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 3628800.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 362880.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 40320.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 5040.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 720.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 120.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 24.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0 / 6.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(0.5));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0));
  p = f64x2.add(f64x2.mul(p, r), f64x2.splat(1.0));
  // The last bits of the sum with 1.5 * 2^52 are the exponent.
  const exponent = i64x2.shl(f64x2.add(k, f64x2.splat(6755399441055744.0 + 1023.0)), 52);
  return v128.and(f64x2.mul(p, exponent), f64x2.ge(x, f64x2.splat(-708.0)));
}

/** The natural logarithm within 2 units in the last place; log(0) = -Infinity, NaN below 0. Subnormals count as 0. */
export function log(x: f64): f64 {
  if (!(x >= 0.0)) return NaN;
  if (x < 2.2250738585072014e-308) return -Infinity;
  if (x == Infinity) return Infinity;
  const bits = reinterpret<i64>(x);
  let k: f64 = <f64> ((bits >> 52) - 1023);
  let m = reinterpret<f64>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (m > SQRT2) {
    m *= 0.5;
    k += 1.0;
  }
  // log m = 2 artanh((m - 1) / (m + 1)), an odd series in s with |s| < 0.172.
  const s = (m - 1.0) / (m + 1.0), s2 = s * s;
  let p: f64 = 1.0 / 23.0;
  p = p * s2 + 1.0 / 21.0;
  p = p * s2 + 1.0 / 19.0;
  p = p * s2 + 1.0 / 17.0;
  p = p * s2 + 1.0 / 15.0;
  p = p * s2 + 1.0 / 13.0;
  p = p * s2 + 1.0 / 11.0;
  p = p * s2 + 1.0 / 9.0;
  p = p * s2 + 1.0 / 7.0;
  p = p * s2 + 1.0 / 5.0;
  p = p * s2 + 1.0 / 3.0;
  return k * LN2_HIGH + (2.0 * s + (2.0 * s * s2 * p + k * LN2_LOW));
}

/** Replaces the `length` f64 at `values` by their exp. */
export function expInPlace(values: usize, length: i32): void {
  for (let i = 0; i < length; i++) store<f64>(values + (<usize> i << 3), exp(load<f64>(values + (<usize> i << 3))));
}

/** Replaces the `length` f64 at `values` by their natural logarithm. */
export function logInPlace(values: usize, length: i32): void {
  for (let i = 0; i < length; i++) store<f64>(values + (<usize> i << 3), log(load<f64>(values + (<usize> i << 3))));
}
