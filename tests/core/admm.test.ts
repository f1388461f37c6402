/** The X-step and the u-step against a dense solution of the paper's equations. */
import { assert, assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import { CholeskyDecomposition, Matrix } from "ml-matrix";
import { Admm } from "../../core/admm.ts";
import type { Kernels } from "../../core/kernels.ts";
import { locations, type PatchPosition } from "../../core/locations.ts";
import { mergeWeights } from "../../core/merge_weights.ts";
import { squareOf } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { Observations } from "../../core/types.ts";
import { assertClose, floats, put, testBoth } from "../kernels_under_test.ts";
import { halving, patchAt } from "../plain_synthesis.ts";

const SIZE = 8, PIXELS = SIZE * SIZE, PATCH = 4, AREA = PATCH * PATCH, BATCH = 2;
const PLACES = locations(squareOf(SIZE), PATCH, 1, [1, 2]);
const LOW = floats(1, BATCH * PIXELS / 4);

/** The state over `places` with the same z and u for everyone. */
function start(kernels: Kernels, places: readonly PatchPosition[] = PLACES, observed?: Observations, feather = 0) {
  const lr = put(kernels, LOW);
  const sizes = { batch: BATCH, size: squareOf(SIZE), patch: PATCH, maxLocations: PLACES.length, lr };
  const state = new Admm(kernels, { ...sizes, observed, feather });
  state.restart(places);
  const values = places.map((_, i) => ({
    z: floats(2 * i, BATCH * AREA),
    u: floats(2 * i + 1, BATCH * AREA, -0.2, 0.2),
  }));
  values.forEach(({ z, u }, i) => {
    kernels.f32(state.z(i), BATCH * AREA).set(z);
    kernels.f32(state.u(i), BATCH * AREA).set(u);
  });
  return { state, values, images: () => kernels.f32(state.x, BATCH * PIXELS) };
}

const image = (all: Float32Array, b: number) => [...all.subarray(b * PIXELS, (b + 1) * PIXELS)];

/** R of a place, as a matrix. */
function taking({ y, x }: PatchPosition): Matrix {
  const matrix = Matrix.zeros(AREA, PIXELS);
  for (let n = 0; n < AREA; n++) matrix.set(n, (y + Math.floor(n / PATCH)) * SIZE + x + n % PATCH, 1);
  return matrix;
}

/** Equation (epll x step) as it stands, divided by rho: the matrix and the right side of an image. `feather`: with merge weights. */
function system(lambda: number, rho: number, b: number, values: ReturnType<typeof start>["values"], feather = 0) {
  const weights = Matrix.diag([...mergeWeights(PATCH, feather)]);
  const h = halving(squareOf(SIZE)), y = Matrix.columnVector([...LOW.subarray(b * PIXELS / 4, (b + 1) * PIXELS / 4)]);
  const left = h.transpose().mmul(h).mul(lambda / rho), right = h.transpose().mmul(y).mul(lambda / rho);
  PLACES.forEach((place, i) => {
    const r = taking(place),
      difference = Array.from({ length: AREA }, (_, n) => {
        return values[i].z[b * AREA + n] - values[i].u[b * AREA + n];
      });
    left.add(r.transpose().mmul(weights).mmul(r));
    right.add(r.transpose().mmul(weights).mmul(Matrix.columnVector(difference)));
  });
  return { left, right };
}

for (const [lambda, rho] of [[0, 0.01], [0.001, 10], [0.0625, 1], [1, 0.125], [4, 0.01], [0.0625, 2 ** -10]]) {
  testBoth(`xStep: the dense solution for lambda ${lambda} and rho ${rho}`, (kernels) => {
    const { state, values, images } = start(kernels), promised = finish(state.xStep(lambda, rho));
    assert(promised >= 0 && promised <= 1e-4);
    for (let b = 0; b < BATCH; b++) {
      const { left, right } = system(lambda, rho, b, values), x = image(images(), b);
      const residual = Matrix.sub(left.mmul(Matrix.columnVector(x)), right).norm();
      assertLess(residual, 1.05e-4 * right.norm());
      // No eigenvalue is below the least cover, 1: a pixel is wrong by the residual at the most.
      const solution = new CholeskyDecomposition(left).solve(right).to1DArray();
      assertClose(x, solution, Math.max(residual, 1e-6), "pixel");
    }
  });
}

for (const [lambda, rho] of [[0, 0.01], [0.0625, 1], [5, 0.01]]) {
  testBoth(`xStep: observed pixels weigh in by W, lambda ${lambda} and rho ${rho}`, (kernels) => {
    // Of the second image, a third of the pixels is not observed.
    const weights = floats(7, BATCH * PIXELS, 0, 5).map((w, i) => i > PIXELS && i % 3 === 0 ? 0 : w);
    const observed = { values: floats(8, BATCH * PIXELS), weights };
    const { state, values, images } = start(kernels, PLACES, observed);
    assert(finish(state.xStep(lambda, rho)) <= 1e-4);
    for (let b = 0; b < BATCH; b++) {
      const { left, right } = system(lambda, rho, b, values);
      for (let p = 0; p < PIXELS; p++) {
        const weight = weights[b * PIXELS + p] / rho;
        left.set(p, p, left.get(p, p) + weight);
        right.set(p, 0, right.get(p, 0) + weight * observed.values[b * PIXELS + p]);
      }
      const residual = Matrix.sub(left.mmul(Matrix.columnVector(image(images(), b))), right).norm();
      assertLess(residual, 1.05e-4 * right.norm());
    }
  });
}

for (const [lambda, rho, feather] of [[0.0625, 1, 2], [4, 0.0625, 2], [0.001, 1, 4], [1, 0.125, 1]]) {
  testBoth(`xStep: merge weights, lambda ${lambda}, rho ${rho}, feather ${feather}`, (kernels) => {
    const { state, values, images } = start(kernels, PLACES, undefined, feather);
    assert(finish(state.xStep(lambda, rho)) <= 1e-4);
    for (let b = 0; b < BATCH; b++) {
      const { left, right } = system(lambda, rho, b, values, feather);
      const residual = Matrix.sub(left.mmul(Matrix.columnVector(image(images(), b))), right).norm();
      assertLess(residual, 1.05e-4 * right.norm());
    }
  });
}

testBoth(
  "xStep: with lambda 0 and merge weights a pixel is the weighted average of z - u, and so is merged, of z",
  (kernels) => {
    const { state, values, images } = start(kernels, PLACES, undefined, 2), weights = mergeWeights(PATCH, 2);
    finish(state.xStep(0, 3));
    const sums = new Float64Array(PIXELS), averages = new Float64Array(BATCH * PIXELS), merged = averages.slice();
    PLACES.forEach(({ y, x }, i) => {
      for (let n = 0; n < AREA; n++) {
        const p = (y + Math.floor(n / PATCH)) * SIZE + x + n % PATCH;
        sums[p] += weights[n];
        for (let b = 0; b < BATCH; b++) {
          const z = values[i].z[b * AREA + n], u = values[i].u[b * AREA + n];
          averages[b * PIXELS + p] += weights[n] * (z - u);
          merged[b * PIXELS + p] += weights[n] * z;
        }
      }
    });
    assertClose(kernels.f32(state.cover, PIXELS), sums, 1e-6, "cover");
    assertClose(images(), averages.map((sum, i) => sum / sums[i % PIXELS]), 1e-5, "pixel");
    assertClose(state.merged(), merged.map((sum, i) => sum / sums[i % PIXELS]), 1e-5, "merged pixel");
  },
);

testBoth("xStep: what is known for sure stays, and the rest is as if it were observed in truth", (kernels) => {
  const weights = Float32Array.from({ length: BATCH * PIXELS }, (_, i) => i % SIZE < 4 ? Infinity : 0);
  const observed = { values: floats(8, BATCH * PIXELS), weights };
  for (const [lambda, rho] of [[0.0625, 1], [0.0625, 30]]) {
    const { state, values, images } = start(kernels, PLACES, observed);
    finish(state.xStep(lambda, rho));
    for (let b = 0; b < BATCH; b++) {
      const { left, right } = system(lambda, rho, b, values), x = image(images(), b);
      for (let p = 0; p < PIXELS; p++) {
        if (p % SIZE >= 4) continue;
        assertAlmostEquals(x[p], observed.values[b * PIXELS + p], 0.02 * (1 + lambda / rho), `known pixel ${p}`);
        left.set(p, p, left.get(p, p) + 1e9);
        right.set(p, 0, right.get(p, 0) + 1e9 * observed.values[b * PIXELS + p]);
      }
      const truth = new CholeskyDecomposition(left).solve(right).to1DArray();
      const unknown = (_: number, p: number) => p % SIZE >= 4;
      assertClose(x.filter(unknown), truth.filter(unknown), 0.03, "unknown pixel");
    }
  }
});

testBoth("xStep: with lambda 0 a pixel is the average of z - u of the patches that cover it", (kernels) => {
  const { state, values, images } = start(kernels);
  assertEquals(finish(state.xStep(0, 3)), 0);
  const counts = new Float64Array(PIXELS), sums = new Float64Array(BATCH * PIXELS);
  PLACES.forEach(({ y, x }, i) => {
    for (let n = 0; n < AREA; n++) {
      const p = (y + Math.floor(n / PATCH)) * SIZE + x + n % PATCH;
      counts[p]++;
      for (let b = 0; b < BATCH; b++) sums[b * PIXELS + p] += values[i].z[b * AREA + n] - values[i].u[b * AREA + n];
    }
  });
  assertEquals([...kernels.f32(state.cover, PIXELS)], [...counts]);
  assert(counts.every((count) => count > 0) && new Set(counts).size > 2);
  assertClose(images(), sums.map((sum, i) => sum / counts[i % PIXELS]), 1e-6, "pixel");
});

testBoth("admm: X starts as Y, interpolated, and keeps that where nothing covers it and lambda is 0", (kernels) => {
  const { state, values, images } = start(kernels, [{ y: 0, x: 0 }]), before = images().slice(), half = SIZE / 2;
  for (let b = 0; b < BATCH; b++) {
    for (let p = 0; p < PIXELS / 4; p++) {
      const y = Math.floor(p / half), x = p % half, at = b * PIXELS + 2 * y * SIZE + 2 * x;
      const low = LOW.subarray(b * PIXELS / 4), right = low[y * half + Math.min(x + 1, half - 1)];
      assertEquals(before[at], low[p]);
      assertAlmostEquals(before[at + 1], (low[p] + right) / 2, 1e-6);
    }
  }
  finish(state.xStep(0, 1));
  for (let p = 0; p < BATCH * PIXELS; p++) {
    const y = Math.floor(p % PIXELS / SIZE), x = p % SIZE, b = Math.floor(p / PIXELS);
    const n = b * AREA + y * PATCH + x, covered = y < PATCH && x < PATCH;
    assertAlmostEquals(images()[p], covered ? values[0].z[n] - values[0].u[n] : before[p], 1e-6);
  }
});

testBoth("uStep: u += R X - z; a restart sets it to 0 and counts the new cover", (kernels) => {
  const { state, values, images } = start(kernels);
  finish(state.xStep(0.1, 1));
  state.uStep();
  PLACES.forEach(({ y, x }, i) => {
    const now = kernels.f32(state.u(i), BATCH * AREA);
    for (let b = 0; b < BATCH; b++) {
      patchAt(image(images(), b), SIZE, PATCH, y, x).forEach((value, n) => {
        const at = b * AREA + n;
        assertAlmostEquals(now[at], values[i].u[at] + value - values[i].z[at], 1e-6);
      });
    }
  });
  state.restart([{ y: 2, x: 3 }]);
  assertEquals([...kernels.f32(state.u(0), BATCH * AREA)], new Array(BATCH * AREA).fill(0));
  kernels.f32(state.cover, PIXELS).forEach((count, p) => {
    const y = Math.floor(p / SIZE), x = p % SIZE;
    assertEquals(count, y >= 2 && y < 6 && x >= 3 && x < 7 ? 1 : 0);
  });
});

testBoth("merged: the average of the patches z alone, whatever u is", (kernels) => {
  const average = (state: Admm) => (finish(state.xStep(0, 1)), kernels.f32(state.x, BATCH * PIXELS).slice());
  const { state } = start(kernels), merged = state.merged().slice();
  PLACES.forEach((_, i) => kernels.f32(state.u(i), BATCH * AREA).fill(0));
  assertClose(merged, average(state), 1e-6, "pixel");
});
