// Whole images against whole images, in image-major rows of bytes.

/** Squared distance of two runs of bytes, exact. Runs of up to 16384 bytes are summed in i32, the blocks in i64. */
export function squaredDistance(a: usize, b: usize, length: i32): i64 {
  let total: i64 = 0;
  for (let first = 0; first < length; first += 16384) {
    const last = min(first + 16384, length), whole = first + ((last - first) & ~15);
    let low = i32x4.splat(0), high = low;
    for (let i = first; i < whole; i += 16) {
      const va = v128.load(a + i), vb = v128.load(b + i);
      const even = i16x8.sub(i16x8.extend_low_i8x16_u(va), i16x8.extend_low_i8x16_u(vb));
      const odd = i16x8.sub(i16x8.extend_high_i8x16_u(va), i16x8.extend_high_i8x16_u(vb));
      low = i32x4.add(low, i32x4.dot_i16x8_s(even, even));
      high = i32x4.add(high, i32x4.dot_i16x8_s(odd, odd));
    }
    const sum = i32x4.add(low, high);
    total += <i64> i32x4.extract_lane(sum, 0) + <i64> i32x4.extract_lane(sum, 1) +
      <i64> i32x4.extract_lane(sum, 2) + <i64> i32x4.extract_lane(sum, 3);
    for (let i = whole; i < last; i++) {
      const difference = <i32> load<u8>(a + i) - <i32> load<u8>(b + i);
      total += difference * difference;
    }
  }
  return total;
}

/**
 * The nearest of `count` images of `length` bytes to one query image, image number `except` left out (-1: none).
 * Ties go to the lower number. Writes the squared distance in grey levels as f64 to `out`; returns the number, -1 if none.
 */
export function nearest(rows: usize, count: i32, length: i32, query: usize, except: i32, out: usize): i32 {
  let best = -1, least: i64 = i64.MAX_VALUE;
  for (let i = 0; i < count; i++) {
    if (i == except) continue;
    const distance = squaredDistance(rows + <usize> i * <usize> length, query, length);
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  store<f64>(out, best < 0 ? Infinity : <f64> least);
  return best;
}
