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

/**
 * Copies a region of `height` x `width` pixels, `offset` bytes from the first pixel of each channel, of `count` images of `channels`
 * channels and `rows` of `rowBytes`, to regions one after another: image by image, channel by channel.
 */
export function copyRegions(
  images: usize,
  count: i32,
  rowBytes: i32,
  rows: i32,
  channels: i32,
  height: i32,
  width: i32,
  offset: i32,
  out: usize,
): void {
  const plane = rowBytes * rows, planes = count * channels, region = height * width, end = out + planes * region;
  for (let p = 0; p < planes; p++) {
    let from = images + <usize> p * <usize> plane + offset;
    const next = out + region;
    if (width <= 16 && next + 16 <= end) {
      // Sixteen bytes at once: the next row overwrites those beyond the width. Few instructions for an image let the processor wait
      // for many images at the same time: 2.9 ms an image of digits became 1.9 (`bench/throughput.ts digits 3 1`).
      for (; out < next; from += rowBytes, out += width) v128.store(out, v128.load(from));
      continue;
    }
    for (let y = 0; y < height; y++, from += rowBytes, out += width) {
      if (width < 8) {
        for (let x = 0; x < width; x++) store<u8>(out + x, load<u8>(from + x));
        continue;
      }
      // The last eight bytes of a row overlap those before.
      for (let x = 0; x < width - 8; x += 8) store<u64>(out + x, load<u64>(from + x));
      store<u64>(out + width - 8, load<u64>(from + width - 8));
    }
  }
}
