/** R, its transpose and the dual step against their equations. */
import { assertEquals } from "@std/assert";
import { floats, put, testBoth } from "../kernels_under_test.ts";

testBoth(
  "measurements, merge, updateDual: the patch's pixels as the equations say, the others as they were",
  (kernels) => {
    const height = 6, width = 7, patch = 4, batch = 3, corner = 2 * width + 3;
    // Multiples of 1/64: float32 adds them without rounding.
    const grid = (seed: number, length: number) => floats(seed, length, -64, 64).map((value) => Math.round(value) / 64);
    const X = grid(1, batch * height * width), z = grid(2, batch * patch * patch), u = grid(3, batch * patch * patch);
    const weights = floats(5, patch * patch, 0, 4).map((value) => Math.round(value) / 4);
    const sums = grid(4, batch * height * width), added = sums.slice(), measured = u.slice(), dual = u.slice();
    u.forEach((value, at) => {
      const b = Math.floor(at / patch ** 2), y = Math.floor(at / patch) % patch, x = at % patch;
      const pixel = b * height * width + (2 + y) * width + 3 + x;
      measured[at] = X[pixel] + value;
      added[pixel] += weights[y * patch + x] * (z[at] - value);
      dual[at] = value + X[pixel] - z[at];
    });
    const images = put(kernels, X), patches = put(kernels, z), duals = put(kernels, u), total = put(kernels, sums);
    const out = kernels.allocate(u.byteLength);
    kernels.measurements(images, height, width, batch, corner, patch, duals, out);
    kernels.merge(total, height, width, batch, corner, patch, patches, duals, put(kernels, weights));
    kernels.updateDual(images, height, width, batch, corner, patch, patches, duals);
    const left = [kernels.f32(out, u.length), kernels.f32(total, X.length), kernels.f32(duals, u.length)];
    assertEquals(left, [measured, added, dual]);
    assertEquals([kernels.f32(images, X.length), kernels.f32(patches, z.length)], [X, z]);
  },
);
