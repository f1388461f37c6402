// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Rounds queries to the integers that `search` compares.

/**
 * Rounds the queries of a batch to the integers that `search` compares: 255 * scale * value, rounded half up.
 * `images` holds `batch` f32 images of `pixels` values in [0, 1] (clamped), `numbers` the `planes` u32 pixel numbers of a query and
 * `scale` their i16 scales; `out` takes `batch` x `planes` i16.
 */
export function toQueries(
  images: usize,
  pixels: i32,
  batch: i32,
  numbers: usize,
  scale: usize,
  planes: i32,
  out: usize,
): void {
  for (let b = 0; b < batch; b++) {
    const image = images + (<usize> (b * pixels) << 2), to = out + (<usize> (b * planes) << 1);
    let p: usize = 0;
    for (; p + 4 <= <usize> planes; p += 4) {
      let values = v128.load32_zero(valueAt(image, numbers, p));
      values = v128.load32_lane(valueAt(image, numbers, p + 1), values, 1);
      values = v128.load32_lane(valueAt(image, numbers, p + 2), values, 2);
      values = v128.load32_lane(valueAt(image, numbers, p + 3), values, 3);
      v128.store64_lane(to + (p << 1), rounded(values, v128.load64_zero(scale + (p << 1))), 0);
    }
    for (; p < <usize> planes; p++) {
      const value = v128.load32_zero(valueAt(image, numbers, p));
      v128.store16_lane(to + (p << 1), rounded(value, v128.load16_splat(scale + (p << 1))), 0);
    }
  }
}

/** The address of value `p` of a query. */
// @ts-ignore: decorator
@inline
function valueAt(image: usize, numbers: usize, p: usize): usize {
  return image + (<usize> load<u32>(numbers + (p << 2)) << 2);
}

/** Rounds four values to i16 in the low half, by the i16 scales in the low half. */
// @ts-ignore: decorator
@inline
function rounded(values: v128, scales: v128): v128 {
  const units = f32x4.min(f32x4.max(values, f32x4.splat(0)), f32x4.splat(1));
  const most = f32x4.convert_i32x4_s(i32x4.mul(i32x4.extend_low_i16x8_s(scales), i32x4.splat(255)));
  const scaled = i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.add(f32x4.mul(units, most), f32x4.splat(0.5))));
  return i16x8.narrow_i32x4_s(scaled, scaled);
}
