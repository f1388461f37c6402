// deno-fmt-ignore-file: the formatter drops decorators.
/** Adding it rounds an f32 of small size to an integer, ties to even. */
const MAGIC: f32 = 12582912.0;

/** 2^t for -24 <= t <= 0 within 3e-6: a polynomial on [-1/2, 1/2] that is 1 at 0, and an exponent. */
// @ts-ignore: decorator
@inline
export function exp2(t: v128): v128 {
  const magic = f32x4.splat(MAGIC), rounded = f32x4.add(t, magic), r = f32x4.sub(t, f32x4.sub(rounded, magic));
  let p = f32x4.mul(r, f32x4.splat(0.00958285299382343));
  p = f32x4.mul(r, f32x4.add(p, f32x4.splat(0.05590642474189896)));
  p = f32x4.mul(r, f32x4.add(p, f32x4.splat(0.24024098612932826)));
  p = f32x4.mul(r, f32x4.add(p, f32x4.splat(0.6931241933916186)));
  return i32x4.add(f32x4.add(p, f32x4.splat(1.0)), i32x4.shl(rounded, 23));
}

/** The weights of four sums relative to the largest, 0 where they do not count. */
// @ts-ignore: decorator
@inline
export function weights(sum: v128, largest: v128, counts: v128, unit: v128): v128 {
  return v128.and(exp2(f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(sum, largest)), unit)), counts);
}
