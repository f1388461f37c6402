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
