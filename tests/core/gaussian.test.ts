import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { fitGaussian, logLikelihood } from "../../core/gaussian.ts";
import { finish } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";
import { wasm } from "../kernels_under_test.ts";

/** Copies grey images of a row to kernel memory. */
function rowsOf(images: readonly (readonly number[])[]): Rows {
  const width = images[0].length, at = wasm.allocate(images.length * width);
  images.forEach((image, n) => wasm.u8(at + n * width, width).set(image));
  return { height: 1, width, channels: 1, at, count: images.length };
}

Deno.test("Gaussian: minus half of the squared Mahalanobis distance of two pixels, by the inverse of a 2x2 matrix", () => {
  const images = [[100, 140], [90, 180], [130, 120], [60, 200], [110, 111]], mark = wasm.mark(), rows = rowsOf(images);
  const numbers = [0, 1, 2, 3];
  const measured = finish(logLikelihood(wasm, finish(fitGaussian(wasm, rows, numbers)), rows));
  wasm.release(mark);
  // Of two pixels the features are x and -x: half of the difference over its size plus 4.
  const features = images.map(([a, b]) => (a - b) / 2 / (Math.abs(a - b) / 2 + 4));
  const fitted = numbers.map((n) => features[n]), mean = fitted.reduce((sum, x) => sum + x, 0) / 4;
  const variance = fitted.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 4;
  // The covariance is [[v, -v], [-v, v]] plus a tenth of v on its diagonal: (1, -1) is its eigenvector of 2.1 v.
  features.forEach((x, n) => assertAlmostEquals(measured[n], -((x - mean) ** 2) / (2.1 * variance), 1e-9));
});

Deno.test("Gaussian: what no training image has is unlikely, brightness does not count, images that are all alike have a value", () => {
  const mark = wasm.mark();
  const stripes = Array.from(
    { length: 40 },
    (_, n) => [0, 1, 2, 3, 4, 5].map((p) => 60 + n + 20 * p + (n * (p + 3)) % 7),
  );
  const gaussian = finish(fitGaussian(wasm, rowsOf(stripes), stripes.map((_, n) => n)));
  const odd = stripes[5].map((value, p) => p === 3 ? 30 : value), light = stripes[5].map((value) => value + 30);
  const [own, other, brighter] = finish(logLikelihood(wasm, gaussian, rowsOf([stripes[5], odd, light])));
  assert(other < own - 10, `${own} ${other}`);
  assertAlmostEquals(brighter, own, 1e-9);
  const flat = rowsOf([[9, 9], [9, 9]]);
  assertEquals([...finish(logLikelihood(wasm, finish(fitGaussian(wasm, flat, [0, 1])), flat))].map(Math.abs), [0, 0]);
  wasm.release(mark);
});
