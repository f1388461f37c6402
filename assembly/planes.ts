// deno-fmt-ignore-file: the formatter drops decorators, and without @inline search is a tenth slower.
// Pixel-major planes: for each pixel a plane of `count` bytes, one of each image. Any patch, window or context is then a list of
// planes, and a distance is a running sum over them for many examples at a time.

import { highPairs, lowPairs } from "./lanes";

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
 * Copies `count` bytes of each of `planes` planes, whose addresses are the u32 of `table`, to rows: image by image one byte of each.
 */
export function toRows(table: usize, planes: i32, count: i32, rows: usize): void {
  if (planes < 8 || count < 16) {
    for (let p = 0; p < planes; p++) {
      const plane = <usize> load<u32>(table + (<usize> p << 2));
      for (let i = 0; i < count; i++) store<u8>(rows + <usize> (i * planes + p), load<u8>(plane + i));
    }
    return;
  }
  // Eight planes of sixteen images at a time. The last ones overlap those before.
  for (let first = 0; first < count; first += 4 * BLOCK) {
    for (let next = 0; next < planes; next += 8) {
      const p = min(next, planes - 8), eight = table + (<usize> p << 2);
      for (let image = first, last = min(first + 4 * BLOCK, count); image < last; image += 16) {
        const i = min(image, count - 16), a = v128.load(load<u32>(eight) + i), b = v128.load(load<u32>(eight, 4) + i);
        const c = v128.load(load<u32>(eight, 8) + i), d = v128.load(load<u32>(eight, 12) + i);
        const e = v128.load(load<u32>(eight, 16) + i), f = v128.load(load<u32>(eight, 20) + i);
        const g = v128.load(load<u32>(eight, 24) + i), h = v128.load(load<u32>(eight, 28) + i);
        const to = rows + <usize> (i * planes + p);
        storeEight(to, planes, lowPairs(a, b), lowPairs(c, d), lowPairs(e, f), lowPairs(g, h));
        storeEight(to + 8 * planes, planes, highPairs(a, b), highPairs(c, d), highPairs(e, f), highPairs(g, h));
      }
    }
  }
}

/** Stores eight bytes of each of eight images, `apart` bytes from one image to the next, from pairs of planes. */
function storeEight(at: usize, apart: usize, ab: v128, cd: v128, ef: v128, gh: v128): void {
  const low = i16x8.shuffle(ab, cd, 0, 8, 1, 9, 2, 10, 3, 11), next = i16x8.shuffle(ef, gh, 0, 8, 1, 9, 2, 10, 3, 11);
  storeFour(at, apart, low, next);
  const high = i16x8.shuffle(ab, cd, 4, 12, 5, 13, 6, 14, 7, 15), last = i16x8.shuffle(ef, gh, 4, 12, 5, 13, 6, 14, 7, 15);
  storeFour(at + 4 * apart, apart, high, last);
}

/** Stores eight bytes of each of four images, from two vectors with four bytes of each. */
// @ts-ignore: decorator
@inline
function storeFour(at: usize, apart: usize, first: v128, second: v128): void {
  const low = i32x4.shuffle(first, second, 0, 4, 1, 5), high = i32x4.shuffle(first, second, 2, 6, 3, 7);
  v128.store64_lane(at, low, 0);
  v128.store64_lane(at + apart, low, 1);
  v128.store64_lane(at + 2 * apart, high, 0);
  v128.store64_lane(at + 3 * apart, high, 1);
}
