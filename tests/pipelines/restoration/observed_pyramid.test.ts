/** What layers observe, against H as a matrix in float64. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Matrix } from "ml-matrix";
import { observationsOf, observedPyramid } from "../../../pipelines/restoration/observed_pyramid.ts";
import { pyramidSizes } from "../../../core/pyramid.ts";
import { assertClose, floats, testBoth } from "../../kernels_under_test.ts";
import { halving } from "../../plain_synthesis.ts";

const HEIGHT = 8, WIDTH = 16, PIXELS = HEIGHT * WIDTH, COUNT = 3;
const sizes = pyramidSizes({ height: HEIGHT, width: WIDTH }, 2), values = floats(1, COUNT * PIXELS);
/** H, H^2. */
const matrices = [halving(sizes[0]), halving(sizes[1]).mmul(halving(sizes[0]))];
const everything = new Float32Array(PIXELS).fill(1);
const leftHalf = everything.map((_, p) => p % WIDTH < WIDTH / 2 ? 1 : 0);

testBoth("observedPyramid: exact observations give the Gaussian pyramid, without variance", (kernels) => {
  const levels = observedPyramid(kernels, sizes, { count: COUNT, values, known: everything, noise: 0 });
  assertEquals([levels.length, [...levels[0].values]], [3, [...values]]);
  for (let n = 0; n < COUNT; n++) {
    const image = Matrix.columnVector([...values.subarray(n * PIXELS, (n + 1) * PIXELS)]);
    matrices.forEach((matrix, l) => {
      const area = matrix.rows, found = levels[l + 1].values.subarray(n * area, (n + 1) * area);
      assertClose(found, matrix.mmul(image).to1DArray(), 1e-5);
    });
  }
  for (const { variances } of levels) for (const variance of variances) assertAlmostEquals(variance, 0, 1e-6);
});

testBoth("observedPyramid: a hole is left out of the means; the less is known, the less it counts", (kernels) => {
  const masked = values.map((value, i) => leftHalf[i % PIXELS] ? value : NaN);
  const levels = observedPyramid(kernels, sizes, { count: COUNT, values: masked, known: leftHalf, noise: 0 });
  matrices.forEach((matrix, l) => {
    const { values: found, variances } = levels[l + 1], weights = matrix.mmul(Matrix.diag([...leftHalf]));
    const order: [number, number][] = [];
    for (let p = 0; p < matrix.rows; p++) {
      const row = weights.getRow(p), part = row.reduce((sum, weight) => sum + weight, 0);
      order.push([part, variances[p]]);
      for (let n = 0; n < COUNT; n++) {
        const sum = row.reduce((sum, weight, q) => sum + weight * values[n * PIXELS + q], 0);
        assertAlmostEquals(found[n * matrix.rows + p], part > 0 ? sum / part : 0, 1e-5);
      }
      assertEquals(variances[p] === Infinity, part === 0);
      if (part > 1 - 1e-9) assert(variances[p] < 1e-6);
    }
    order.sort(([a], [b]) => a - b).forEach(([, variance], i) => assert(i === 0 || variance <= order[i - 1][1] + 1e-6));
    assert(new Set(order.map(([, variance]) => variance.toFixed(4))).size > 2);
  });
  const { weights } = observationsOf(levels[0]);
  assertEquals(weights.length, COUNT * PIXELS);
  weights.forEach((weight, i) => assertEquals(weight, leftHalf[i % PIXELS] ? Infinity : 0));
});

testBoth("observedPyramid: noise keeps the variance that H leaves of it", (kernels) => {
  const levels = observedPyramid(kernels, sizes, { count: COUNT, values, known: everything, noise: 0.2 });
  assertAlmostEquals(levels[0].variances[0], 0.04, 1e-7);
  matrices.forEach((matrix, l) => {
    const size = sizes[l + 1], middle = Math.floor(size.height / 2) * size.width + Math.floor(size.width / 2);
    const left = matrix.getRow(middle).reduce((sum, weight) => sum + weight * weight, 0);
    for (const variance of levels[l + 1].variances) assertAlmostEquals(variance, 0.04 * left, 1e-6);
    assertAlmostEquals(observationsOf(levels[l + 1]).weights[0], 25 / left, 0.01 / left);
  });
});
