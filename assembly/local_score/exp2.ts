// deno-fmt-ignore-file: the formatter drops decorators.
/** Adding it rounds an f32 of small size to an integer, ties to even. */
const MAGIC: f32 = 12582912.0;

/** Bytes of the constants that `storeConstants` writes. */
export const CONSTANTS: usize = 128;

/** Writes constants as vectors: engines load a vector from memory in one instruction, and build a constant anew in three at each use. */
export function storeConstants(to: usize): void {
  store<f32>(to, MAGIC);
  store<f32>(to, 0.00958285299382343, 16);
  store<f32>(to, 0.05590642474189896, 32);
  store<f32>(to, 0.24024098612932826, 48);
  store<f32>(to, 0.6931241933916186, 64);
  store<f32>(to, 1.0, 80);
  store<i32>(to, 0x80808080, 96);
  store<i32>(to, 0x00400040, 112);
  for (const end = to + CONSTANTS; to < end; to += 16) v128.store(to, v128.load32_splat(to));
}

/** -128 in each byte. */
// @ts-ignore: decorator
@inline
export function signsAt(constants: usize): v128 {
  return v128.load(constants, 96);
}

/** 64 in each lane of 16 bits. */
// @ts-ignore: decorator
@inline
export function halvesAt(constants: usize): v128 {
  return v128.load(constants, 112);
}

/** 2^t for -24 <= t <= 0 within 3e-6: a polynomial on [-1/2, 1/2] that is 1 at 0, and an exponent. */
// @ts-ignore: decorator
@inline
export function exp2(t: v128, constants: usize): v128 {
  const magic = v128.load(constants), rounded = f32x4.add(t, magic), r = f32x4.sub(t, f32x4.sub(rounded, magic));
  let p = f32x4.mul(r, v128.load(constants, 16));
  p = f32x4.mul(r, f32x4.add(p, v128.load(constants, 32)));
  p = f32x4.mul(r, f32x4.add(p, v128.load(constants, 48)));
  p = f32x4.mul(r, f32x4.add(p, v128.load(constants, 64)));
  return i32x4.add(f32x4.add(p, v128.load(constants, 80)), i32x4.shl(rounded, 23));
}

/** The weights of four sums relative to the largest, 0 where they do not count. */
// @ts-ignore: decorator
@inline
export function weights(sum: v128, largest: v128, counts: v128, unit: v128, constants: usize): v128 {
  return v128.and(exp2(f32x4.mul(f32x4.convert_i32x4_s(i32x4.sub(sum, largest)), unit), constants), counts);
}
