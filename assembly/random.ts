// Philox4x32-10, the same generator as core/random.ts, for a batch of images.

/**
 * Writes one uniform number in [0, 1) for each image of a batch: counter (image, stage, location, draw) under the seed's key.
 * `numbers` holds those of the images, `batch` u32, `out` takes `batch` f64.
 */
export function uniforms(
  seedLow: u32,
  seedHigh: u32,
  numbers: usize,
  batch: i32,
  stage: u32,
  location: u32,
  draw: u32,
  out: usize,
): void {
  for (let b = 0; b < batch; b++) {
    let c0 = load<u32>(numbers + (<usize> b << 2)), c1 = stage, c2 = location, c3 = draw;
    let k0 = seedLow, k1 = seedHigh;
    for (let round = 0; round < 10; round++) {
      const p0 = <u64> 0xd2511f53 * <u64> c0, p1 = <u64> 0xcd9e8d57 * <u64> c2;
      c0 = <u32> (p1 >> 32) ^ c1 ^ k0;
      c1 = <u32> p1;
      c2 = <u32> (p0 >> 32) ^ c3 ^ k1;
      c3 = <u32> p0;
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
    store<f64>(out + (<usize> b << 3), <f64> ((<u64> c0 << 21) | <u64> (c1 >> 11)) * 1.1102230246251565e-16);
  }
}
