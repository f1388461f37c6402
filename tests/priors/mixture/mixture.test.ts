/** Densities of mixtures against plain float64. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { determinant, inverse, Matrix } from "ml-matrix";
import { borrowing, type Kernels } from "../../../core/kernels.ts";
import { stream } from "../../../core/random.ts";
import { fitMixture } from "../../../priors/mixture/fit_mixture.ts";
import { addProducts, jointLogs, type Mixture, normalize } from "../../../priors/mixture/mixture.ts";
import { wasm } from "../../kernels_under_test.ts";

const KNOWN: Mixture = {
  dimensions: 2,
  weights: Float64Array.of(0.3, 0.7),
  means: Float64Array.of(-1, 0.5, 1, -0.25),
  covariances: Float64Array.of(0.2, 0.05, 0.05, 0.1, 0.1, -0.06, -0.06, 0.3),
};

/** The natural logarithm of the mixture's density at each point (points x dimensions), with all its constants. */
function logDensities(kernels: Kernels, mixture: Mixture, values: Float64Array): Float64Array {
  return borrowing(kernels, () => {
    const count = values.length / mixture.dimensions, components = mixture.weights.length;
    const at = kernels.allocate(count * components * 8), sums = kernels.allocate(count * 8);
    jointLogs(kernels, mixture, values, 0, at);
    return normalize(kernels, at, sums, components, count).slice();
  });
}

Deno.test("jointLogs and normalize: the density, in plain float64", () => {
  const found = logDensities(wasm, KNOWN, Float64Array.of(0, 0, 1, -1, -3, 4)), rows = [[0, 0], [1, -1], [-3, 4]];
  rows.forEach((row, i) => {
    let density = 0;
    for (const k of [0, 1]) {
      const covariance = new Matrix(
        [0, 1].map((p) => [...KNOWN.covariances.subarray(4 * k + 2 * p, 4 * k + 2 * p + 2)]),
      );
      const away = Matrix.columnVector(row.map((value, p) => value - KNOWN.means[2 * k + p]));
      const distance = away.transpose().mmul(inverse(covariance)).mmul(away).get(0, 0);
      density += KNOWN.weights[k] * Math.exp(-distance / 2) / (2 * Math.PI * Math.sqrt(determinant(covariance)));
    }
    assertAlmostEquals(found[i], Math.log(density), 1e-11);
  });
});

Deno.test("jointLogs and normalize: e^ of the log density integrates to 1", () => {
  const random = stream(7), values = Float64Array.from({ length: 60 }, () => 2 * random.next() - 1);
  const points = { dimensions: 2, values, weights: new Float64Array(30).fill(1) };
  const options = { components: 3, floor: 1e-3, restarts: 1, iterations: 200, tolerance: 1e-9, random: stream(1) };
  const mixture = fitMixture(wasm, points, options), step = 0.02;
  const grid: number[] = [];
  for (let y = -4; y < 4; y += step) for (let x = -4; x < 4; x += step) grid.push(y, x);
  const sum = logDensities(wasm, mixture, Float64Array.from(grid)).reduce((sum, log) => sum + Math.exp(log), 0);
  assertAlmostEquals(sum * step * step, 1, 1e-3);
});

Deno.test("jointLogs and addProducts: the same bits as point by point, for any number of points", () => {
  const random = stream(5),
    d = 7,
    numbers = (count: number) => Float64Array.from({ length: count }, () => random.next());
  const covariances = new Float64Array(2 * d * d);
  for (let i = 0; i < 2 * d * d; i++) covariances[i] = Math.floor(i / d) % d === i % d ? 1 + random.next() : 0.05;
  const mixture: Mixture = { dimensions: d, weights: Float64Array.of(0.4, 0.6), means: numbers(2 * d), covariances };
  for (const count of [1, 2, 3, 4, 5, 8, 9]) {
    const values = numbers(count * d), weights = numbers(count), at = wasm.allocate(count * 2 * 8);
    values.fill(mixture.means[0], 0, 1); // a row of products that are 0
    const logs = jointLogs(wasm, mixture, values, 0, at).slice();
    for (let i = 0; i < count; i++) {
      const alone = jointLogs(wasm, mixture, values.slice(i * d, (i + 1) * d), 0, wasm.allocate(16));
      assertEquals(logs.slice(2 * i, 2 * i + 2), alone.slice());
    }
    const mean = mixture.means.subarray(0, d), sums = new Float64Array(d * d), plain = new Float64Array(d * d);
    addProducts(values, mean, sums, [...weights.keys()], (i) => weights[i]);
    for (let i = 0; i < count; i++) {
      for (let p = 0; p < d; p++) {
        const scaled = weights[i] * (values[i * d + p] - mean[p]);
        for (let q = 0; q <= p; q++) plain[p * d + q] += scaled * (values[i * d + q] - mean[q]);
      }
    }
    assertEquals(sums, plain);
  }
});
