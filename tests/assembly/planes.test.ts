/** Planes against their definition. */
import { assertEquals } from "@std/assert";
import { bytes, LENGTHS, put, testBoth } from "../kernels_under_test.ts";

testBoth("toPlanes: pixel p of image i is byte i of plane p, the bytes behind are left alone", (kernels) => {
  const pixels = 3;
  for (const count of LENGTHS) {
    const rows = bytes(count, count * pixels), stride = count + 5, planes = kernels.allocate(pixels * stride);
    kernels.u8(planes, pixels * stride).fill(77);
    kernels.toPlanes(put(kernels, rows), count, pixels, planes, stride);
    kernels.u8(planes, pixels * stride).forEach((byte, at) => {
      const i = at % stride, p = Math.floor(at / stride);
      assertEquals(byte, i < count ? rows[i * pixels + p] : 77);
    });
  }
});

testBoth(
  "copyRegions: the region's bytes of every channel of every image, one after another, and nothing else",
  (kernels) => {
    const count = 3, rows = 12, rowBytes = 20;
    for (
      const [channels, height, width, y, x] of [[1, 1, 1, 0, 0], [1, 12, 20, 0, 0], [3, 5, 7, 7, 13], [2, 4, 8, 1, 2]]
    ) {
      for (const wide of [width, Math.min(width + 2, rowBytes - x)]) {
        const images = bytes(width, count * channels * rows * rowBytes), length = count * channels * height * wide;
        const out = kernels.allocate(length + 8), at = put(kernels, images), offset = y * rowBytes + x;
        kernels.u8(out, length + 8).fill(77);
        kernels.copyRegions(at, count, rowBytes, rows, channels, height, wide, offset, out);
        kernels.u8(out, length + 8).forEach((byte, i) => {
          const plane = Math.floor(i / wide / height), row = y + Math.floor(i / wide) % height;
          assertEquals(byte, i < length ? images[(plane * rows + row) * rowBytes + x + i % wide] : 77);
        });
      }
    }
  },
);
