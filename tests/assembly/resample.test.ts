/** The operators between two layers against their definitions in float64. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Matrix } from "ml-matrix";
import { assertClose, floats, matrixOf, put, range, resample, testBoth } from "../kernels_under_test.ts";

testBoth("down: a constant image stays constant", (kernels) => {
  for (const size of [2, 4, 10, 32]) {
    const out = resample(kernels, "down", new Float32Array(2 * size * size).fill(0.7), size, size / 2);
    assertClose(out, new Float32Array(size * size / 2).fill(0.7), 1e-6);
  }
});

testBoth("down: every pixel goes where the 3x3 Gaussian, the border repeated, takes it", (kernels) => {
  const size = 8, half = size / 2, sum = 1 + 2 * Math.exp(-1 / 2);
  const weight = (distance: number) => Math.exp(-distance * distance / 2) / sum;
  const wanted = new Matrix(half * half, size * size);
  const inside = (at: number) => Math.min(Math.max(at, 0), size - 1);
  for (let y = 0; y < half; y++) {
    for (let x = 0; x < half; x++) {
      for (const dy of [-1, 0, 1]) {
        for (const dx of [-1, 0, 1]) {
          const row = y * half + x, column = inside(2 * y + dy) * size + inside(2 * x + dx);
          wanted.set(row, column, wanted.get(row, column) + weight(dy) * weight(dx));
        }
      }
    }
  }
  assertClose(matrixOf(kernels, "down", size, half).to1DArray(), wanted.to1DArray(), 1e-7);
});

testBoth("downTransposed: <H x, y> = <x, H^T y>", (kernels) => {
  for (const size of [2, 4, 6, 16]) {
    const half = size / 2, x = floats(1, 3 * size * size, -1), y = floats(2, 3 * half * half, -1);
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const hx = resample(kernels, "down", x, size, half), hty = resample(kernels, "downTransposed", y, half, size);
    assertAlmostEquals(dot(hx, y), dot(x, hty), 1e-5);
    const transposed = matrixOf(kernels, "downTransposed", half, size).transpose();
    assertClose(matrixOf(kernels, "down", size, half).to1DArray(), transposed.to1DArray(), 1e-7);
  }
});

testBoth("up: a constant stays, a ramp goes on at half its slope, even pixels are the source's", (kernels) => {
  const half = 5, size = 10;
  assertEquals(resample(kernels, "up", floats(1, 25).fill(0.3), half, size), new Float32Array(100).fill(0.3));
  const ramp = (y: number, x: number) => 0.25 + y / 16 - x / 32;
  const out = resample(
    kernels,
    "up",
    Float32Array.from(range(0, 24, 25), (i) => ramp(Math.floor(i / 5), i % 5)),
    half,
    size,
  );
  for (let y = 0; y < size - 1; y++) {
    for (let x = 0; x < size - 1; x++) assertEquals(out[y * size + x], ramp(y / 2, x / 2), `pixel ${y}, ${x}`);
  }
  const any = floats(1, 50), large = resample(kernels, "up", any, half, size);
  any.forEach((value, i) => {
    const image = Math.floor(i / 25), y = Math.floor(i % 25 / 5), x = i % 5;
    assertEquals(large[image * 100 + 2 * y * size + 2 * x], value);
  });
});

testBoth(
  "toUnit and toBytes: there and back is the identity, outside [0, 1] is clamped, between is rounded",
  (kernels) => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte), unit = kernels.allocate(1024);
    const out = kernels.allocate(256);
    kernels.toUnit(put(kernels, all), unit, 256);
    assertEquals([...kernels.f32(unit, 256)], [...all].map((byte) => Math.fround(byte / 255)));
    kernels.toBytes(unit, out, 256);
    assertEquals(kernels.u8(out, 256), all);
    const floating = Float32Array.of(-3, -0.01, 0.499 / 255, 0.501 / 255, 254.499 / 255, 254.501 / 255, 1.01, 300);
    kernels.toBytes(put(kernels, floating), out, 8);
    assertEquals([...kernels.u8(out, 8)], [0, 0, 0, 1, 254, 255, 255, 255]);
    const clamped = put(kernels, floating);
    kernels.clamp(clamped, 8);
    assertEquals(kernels.f32(clamped, 8), floating.map((value) => Math.min(Math.max(value, 0), 1)));
  },
);
