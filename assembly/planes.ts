// Pixel-major planes: one u8 plane of `count` values for each pixel, so that any patch, window or context is a list of
// planes and a distance a running sum over them, many examples at a time.

const BLOCK: i32 = 64; // one cache line of a plane

/**
 * Image-major rows (`count` images of `pixels` bytes) to `pixels` planes, `stride` bytes apart. The bytes of a plane
 * beyond `count` are left as they are.
 */
export function toPlanes(rows: usize, count: i32, pixels: i32, planes: usize, stride: i32): void {
  for (let first = 0; first < count; first += BLOCK) {
    const last = min(first + BLOCK, count);
    for (let pixel = 0; pixel < pixels; pixel++) {
      const plane = planes + <usize> pixel * <usize> stride;
      for (let i = first; i < last; i++) {
        store<u8>(plane + i, load<u8>(rows + <usize> i * <usize> pixels + pixel));
      }
    }
  }
}
