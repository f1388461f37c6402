import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { fitHalves, mutualInformation } from "../../core/mutual_information.ts";
import { finish } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";
import { wasm } from "../kernels_under_test.ts";

/** Copies images to kernel memory. */
function rowsOf(
  images: readonly (readonly number[])[],
  shape: { height: number; width: number; channels: number },
): Rows {
  const at = wasm.allocate(images.length * images[0].length);
  images.forEach((image, n) => wasm.u8(at + n * image.length, image.length).set(image));
  return { ...shape, at, count: images.length };
}

/** Random numbers of a normal distribution: the sum of twelve uniform ones, less 6. */
function normals(seed: number): () => number {
  let state = seed;
  const uniform = () => (state = (state * 16807) % 2147483647) / 2147483647;
  return () => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
}

/** Images of two columns, with a correlation between their sides. */
function pairs(count: number, correlation: number, height = 2): number[][] {
  const normal = normals(7), rest = Math.sqrt(1 - correlation ** 2);
  return Array.from({ length: count }, () => {
    return Array.from({ length: height }, () => {
      const left = normal();
      return [left, correlation * left + rest * normal()].map((value) => Math.round(128 + 20 * value));
    }).flat();
  });
}

/** The determinant and the inverse of a small matrix by cofactors. */
function determinant(matrix: readonly (readonly number[])[]): number {
  if (matrix.length === 0) return 1;
  return matrix[0].reduce((sum, value, j) => {
    const minor = matrix.slice(1).map((row) => row.filter((_, k) => k !== j));
    return sum + (j % 2 ? -1 : 1) * value * determinant(minor);
  }, 0);
}

/** x^T A^-1 x by Cramer's rule. */
function quadratic(matrix: readonly (readonly number[])[], x: readonly number[]): number {
  const all = determinant(matrix);
  return x.reduce((sum, value, i) => {
    const replaced = matrix.map((row, k) => row.map((entry, j) => j === i ? x[k] : entry));
    return sum + value * determinant(replaced) / all;
  }, 0);
}

Deno.test("mutual information: the log likelihood of both halves less that of each, by Cramer's rule, up to a constant", () => {
  const images = pairs(40, 0.7), mark = wasm.mark(), rows = rowsOf(images, { height: 2, width: 2, channels: 1 });
  const numbers = images.map((_, n) => n).filter((n) => n % 4 > 0);
  const measured = finish(mutualInformation(wasm, finish(fitHalves(wasm, rows, numbers)), rows));
  wasm.release(mark);
  // Column by column, mean 0, divided by the standard deviation plus 4.
  const features = images.map(([a, b, c, d]) => {
    const mean = (a + b + c + d) / 4, columns = [a, c, b, d].map((value) => value - mean);
    const contrast = Math.sqrt(columns.reduce((sum, value) => sum + value * value, 0) / 4) + 4;
    return columns.map((value) => value / contrast);
  });
  const fitted = numbers.map((n) => features[n]);
  const mean = [0, 1, 2, 3].map((i) => fitted.reduce((sum, x) => sum + x[i], 0) / fitted.length);
  const covariance = mean.map((_, i) =>
    mean.map((_, j) => {
      return fitted.reduce((sum, x) => sum + (x[i] - mean[i]) * (x[j] - mean[j]), 0) / fitted.length;
    })
  );
  const ridge = 0.1 * covariance.reduce((sum, row, i) => sum + row[i] / 4, 0);
  covariance.forEach((row, i) => row[i] += ridge);
  const block = (from: number, to: number) => covariance.slice(from, to).map((row) => row.slice(from, to));
  features.forEach((x, n) => {
    const less = x.map((value, i) => value - mean[i]);
    const halves = quadratic(block(0, 2), less.slice(0, 2)) + quadratic(block(2, 4), less.slice(2));
    assertAlmostEquals(measured[n], (halves - quadratic(covariance, less)) / 2, 1e-9);
  });
});

Deno.test("mutual information: halves that do not belong together have less; brightness and contrast change little", () => {
  const images = pairs(300, 0.9, 6), mark = wasm.mark();
  const swapped = images.map((image, n) => image.map((value, p) => p % 2 ? images[(n + 1) % 300][p] : value));
  const brighter = images.map((image) => image.map((value) => Math.min(value + 20, 255)));
  const shape = { height: 6, width: 2, channels: 1 }, rows = rowsOf(images, shape);
  const halves = finish(fitHalves(wasm, rows, images.map((_, n) => n)));
  const mean = (some: readonly (readonly number[])[]) => {
    const values = finish(mutualInformation(wasm, halves, rowsOf(some, shape)));
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const [own, mixed, light] = [images, swapped, brighter].map(mean);
  wasm.release(mark);
  assert(mixed < own - 1, `${own} ${mixed}`);
  assertAlmostEquals(light, own, 0.05);
});

Deno.test("mutual information: channels are averaged, flat images and images that are all alike have a value", () => {
  const mark = wasm.mark(), grey = pairs(20, 0.5);
  const numbers = grey.map((_, n) => n), ofGrey = rowsOf(grey, { height: 2, width: 2, channels: 1 });
  const ofColours = rowsOf(grey.map((image) => [...image, ...image, ...image]), { height: 2, width: 2, channels: 3 });
  const [one, three] = [ofGrey, ofColours].map((rows) =>
    finish(mutualInformation(wasm, finish(fitHalves(wasm, rows, numbers)), rows))
  );
  three.forEach((value, n) => assertAlmostEquals(value, one[n], 1e-9));
  const flat = rowsOf([[9, 9, 9], [9, 9, 9]], { height: 1, width: 3, channels: 1 });
  assertEquals([...finish(mutualInformation(wasm, finish(fitHalves(wasm, flat, [0, 1])), flat))], [0, 0]);
  wasm.release(mark);
});
