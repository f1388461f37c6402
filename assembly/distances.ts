// Squared distances of whole images to whole images, one after another in memory: four queries in a pass.

/** Bytes whose squared differences add up to less than 2^31 in each lane. */
const BLOCK: i32 = 16384;
/** Queries in a pass. */
const TILE: i32 = 4;

/**
 * Writes the squared distance, exact and in grey levels, of query image q to image i as f64 to out[q * count + i]. `queries`:
 * `batch` images of `length` bytes, `rows`: `count` images, both one after another.
 */
export function distances(queries: usize, batch: i32, rows: usize, count: i32, length: i32, out: usize): void {
  // All queries are compared with one image before the next: the queries stay in the cache, reading the image costs more.
  for (let i = 0; i < count; i++) {
    const image = rows + <usize> i * <usize> length;
    for (let q = 0; q < batch; q += TILE) {
      const q0 = queries + <usize> q * <usize> length;
      // Beyond the batch the first of the four stands in; its result is not kept.
      const q1 = q + 1 < batch ? q0 + length : q0, q2 = q + 2 < batch ? q0 + 2 * length : q0;
      const q3 = q + 3 < batch ? q0 + 3 * length : q0;
      let sum0: i64 = 0, sum1: i64 = 0, sum2: i64 = 0, sum3: i64 = 0;
      for (let first = 0; first < length; first += BLOCK) {
        const last = min(first + BLOCK, length), whole = first + ((last - first) & ~15);
        let d0 = i32x4.splat(0), d1 = d0, d2 = d0, d3 = d0;
        for (let p = first; p < whole; p += 16) {
          const bytes = v128.load(image + p);
          const low = i16x8.extend_low_i8x16_u(bytes), high = i16x8.extend_high_i8x16_u(bytes);
          d0 = add(d0, low, high, v128.load(q0 + p));
          d1 = add(d1, low, high, v128.load(q1 + p));
          d2 = add(d2, low, high, v128.load(q2 + p));
          d3 = add(d3, low, high, v128.load(q3 + p));
        }
        sum0 += total(d0) + rest(image, q0, whole, last);
        sum1 += total(d1) + rest(image, q1, whole, last);
        sum2 += total(d2) + rest(image, q2, whole, last);
        sum3 += total(d3) + rest(image, q3, whole, last);
      }
      const at = out + (<usize> q * <usize> count + <usize> i << 3), row = <usize> count << 3;
      store<f64>(at, <f64> sum0);
      if (q + 1 < batch) store<f64>(at + row, <f64> sum1);
      if (q + 2 < batch) store<f64>(at + 2 * row, <f64> sum2);
      if (q + 3 < batch) store<f64>(at + 3 * row, <f64> sum3);
    }
  }
}

/** sum + (image - query)^2 for sixteen bytes; the image's are widened already. */
function add(sum: v128, low: v128, high: v128, query: v128): v128 {
  const a = i16x8.sub(low, i16x8.extend_low_i8x16_u(query)), b = i16x8.sub(high, i16x8.extend_high_i8x16_u(query));
  return i32x4.add(sum, i32x4.add(i32x4.dot_i16x8_s(a, a), i32x4.dot_i16x8_s(b, b)));
}

/** The sum of four lanes. */
function total(sum: v128): i64 {
  return <i64> i32x4.extract_lane(sum, 0) + <i64> i32x4.extract_lane(sum, 1) +
    <i64> i32x4.extract_lane(sum, 2) + <i64> i32x4.extract_lane(sum, 3);
}

/** The sum over the bytes behind the last whole vector. */
function rest(a: usize, b: usize, first: i32, last: i32): i64 {
  let sum: i64 = 0;
  for (let p = first; p < last; p++) {
    const difference = <i32> load<u8>(a + p) - <i32> load<u8>(b + p);
    sum += difference * difference;
  }
  return sum;
}
