// Pixel-major planes: for each pixel a plane of `count` bytes, one of each image. Any patch, window or context is then a list of
// planes, and a distance is a running sum over them for many examples at a time.

/** Images that are copied together: one cache line of a plane. */
const BLOCK: i32 = 64;

/**
 * Copies image-major rows (`count` images of `pixels` bytes) to `pixels` planes, `stride` bytes apart. Leaves the bytes of a
 * plane beyond `count` as they are.
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
