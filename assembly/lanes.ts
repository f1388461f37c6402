// What the kernels that run over planes do with a vector.

/** Eight examples of two planes, interleaved: lanes (example 0, plane 0), (example 0, plane 1), (example 1, plane 0)... */

export function pair(first: usize, second: usize): v128 {
  return i8x16.shuffle(
    v128.load64_zero(first),
    v128.load64_zero(second),
    0,
    16,
    1,
    17,
    2,
    18,
    3,
    19,
    4,
    20,
    5,
    21,
    6,
    22,
    7,
    23,
  );
}

/** sum + (a - b)^2, adjacent lanes added: four examples, two planes. */

export function add(sum: v128, a: v128, b: v128): v128 {
  const difference = i16x8.sub(a, b);
  return i32x4.add(sum, i32x4.dot_i16x8_s(difference, difference));
}
