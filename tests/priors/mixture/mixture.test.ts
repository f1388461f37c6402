/** Densities of mixtures against plain float64. */
import { assertAlmostEquals } from "@std/assert";
import { determinant, inverse, Matrix } from "ml-matrix";
import { stream } from "../../../core/random.ts";
import { fitMixture } from "../../../priors/mixture/fit_mixture.ts";
import { logDensities, type Mixture } from "../../../priors/mixture/mixture.ts";
import { wasm } from "../../kernels_under_test.ts";

const KNOWN: Mixture = {
  dimensions: 2,
  weights: Float64Array.of(0.3, 0.7),
  means: Float64Array.of(-1, 0.5, 1, -0.25),
  covariances: Float64Array.of(0.2, 0.05, 0.05, 0.1, 0.1, -0.06, -0.06, 0.3),
};

Deno.test("logDensities: plain float64", () => {
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

Deno.test("logDensities: e^ of it integrates to 1", () => {
  const random = stream(7), values = Float64Array.from({ length: 60 }, () => 2 * random.next() - 1);
  const points = { dimensions: 2, values, weights: new Float64Array(30).fill(1) };
  const options = { components: 3, floor: 1e-3, restarts: 1, iterations: 200, tolerance: 1e-9, random: stream(1) };
  const mixture = fitMixture(wasm, points, options), step = 0.02;
  const grid: number[] = [];
  for (let y = -4; y < 4; y += step) for (let x = -4; x < 4; x += step) grid.push(y, x);
  const sum = logDensities(wasm, mixture, Float64Array.from(grid)).reduce((sum, log) => sum + Math.exp(log), 0);
  assertAlmostEquals(sum * step * step, 1, 1e-3);
});
