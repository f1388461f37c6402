/** Planes against their definition. */
import { assertEquals } from "@std/assert";
import { bytes, LENGTHS, put, testBoth } from "../kernels_under_test.ts";

testBoth("toPlanes: pixel p of image i is byte i of plane p, the bytes behind are left alone", (kernels) => {
  for (const pixels of [3, 8, 13, 100]) {
    for (const count of LENGTHS) {
      const height = kernels.mark(), stride = count + 5, planes = kernels.allocate(pixels * stride);
      const rows = bytes(count, count * pixels);
      kernels.u8(planes, pixels * stride).fill(77);
      kernels.toPlanes(put(kernels, rows), count, pixels, planes, stride);
      kernels.u8(planes, pixels * stride).forEach((byte, at) => {
        const i = at % stride, p = Math.floor(at / stride);
        assertEquals(byte, i < count ? rows[i * pixels + p] : 77);
      });
      kernels.release(height);
    }
  }
});

testBoth("toRows: byte p of row i is byte i of plane p, and nothing else is written", (kernels) => {
  for (const count of [...LENGTHS, 200]) {
    for (const planes of [1, 7, 8, 13, 36]) {
      const height = kernels.mark(), length = planes * count, stride = count + 5;
      const all = bytes(count, planes * stride), at = put(kernels, all), rows = kernels.allocate(length + 8);
      const order = Array.from({ length: planes }, (_, p) => (5 * p + 2) % planes); // any, of some twice
      const table = put(kernels, Uint32Array.from(order, (p) => at + p * stride));
      kernels.u8(rows, length + 8).fill(77);
      kernels.toRows(table, planes, count, rows);
      kernels.u8(rows, length + 8).forEach((byte, b) => {
        assertEquals(byte, b < length ? all[order[b % planes] * stride + Math.floor(b / planes)] : 77);
      });
      kernels.release(height);
    }
  }
});
