// Squared distances of one image to all examples over many masks: sets of values that overlap, so that one sum is had from another.

/**
 * Writes the squared distance of an image to each example over each mask, mask after mask: `values` x `stride` f32, a mask for each
 * value. `planes`: `values` planes of `stride` bytes, a multiple of 16 examples; `image`: `values` f32 which `scale` times a byte is
 * subtracted from. `masks`: for each mask u32: 1 + the number of an earlier mask, 0 for none; how many values are added to that and
 * how many are taken from it; their numbers. `scratch`: `values` x 128 bytes.
 */
export function maskedDistances(
  image: usize,
  planes: usize,
  stride: i32,
  values: i32,
  scale: f32,
  masks: usize,
  scratch: usize,
  out: usize,
): void {
  const sums = scratch + (<usize> values << 6), row = <usize> stride << 2;
  for (let first = 0; first < stride; first += 16, out += 64) {
    for (let q: usize = 0; q < <usize> values; q++) {
      squares(planes + q * <usize> stride + first, v128.load32_splat(image + (q << 2)), scale, scratch + (q << 6));
    }
    let at = masks, sum = sums;
    for (let p = 0, to = out; p < values; p++, to += row, sum += 64) {
      const base = load<u32>(at);
      if (base) memory.copy(sum, sums + (<usize> (base - 1) << 6), 64);
      else memory.fill(sum, 0, 64);
      const added = at + 12, taken = added + (<usize> load<u32>(at, 4) << 2);
      at = taken + (<usize> load<u32>(at, 8) << 2);
      total(sum, scratch, added, taken, at);
      memory.copy(to, sum, 64);
    }
  }
}

/** Writes (x - scale byte)^2 of sixteen examples. */
function squares(bytes: usize, x: v128, scale: f32, to: usize): void {
  const loaded = v128.load(bytes), low = i16x8.extend_low_i8x16_u(loaded), high = i16x8.extend_high_i8x16_u(loaded);
  const by = f32x4.splat(scale);
  v128.store(to, square(x, by, i32x4.extend_low_i16x8_u(low)));
  v128.store(to, square(x, by, i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(to, square(x, by, i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(to, square(x, by, i32x4.extend_high_i16x8_u(high)), 48);
}

/** (x - scale byte)^2 of four examples. */
function square(x: v128, scale: v128, bytes: v128): v128 {
  const difference = f32x4.sub(x, f32x4.mul(scale, f32x4.convert_i32x4_s(bytes)));
  return f32x4.mul(difference, difference);
}

/** Adds the squares of some values to sixteen sums, then subtracts those of others. */
function total(sum: usize, squares: usize, added: usize, taken: usize, end: usize): void {
  let a = v128.load(sum), b = v128.load(sum, 16), c = v128.load(sum, 32), d = v128.load(sum, 48);
  for (; added < taken; added += 4) {
    const at = squares + (<usize> load<u32>(added) << 6);
    a = f32x4.add(a, v128.load(at));
    b = f32x4.add(b, v128.load(at, 16));
    c = f32x4.add(c, v128.load(at, 32));
    d = f32x4.add(d, v128.load(at, 48));
  }
  for (; taken < end; taken += 4) {
    const at = squares + (<usize> load<u32>(taken) << 6);
    a = f32x4.sub(a, v128.load(at));
    b = f32x4.sub(b, v128.load(at, 16));
    c = f32x4.sub(c, v128.load(at, 32));
    d = f32x4.sub(d, v128.load(at, 48));
  }
  v128.store(sum, a);
  v128.store(sum, b, 16);
  v128.store(sum, c, 32);
  v128.store(sum, d, 48);
}
