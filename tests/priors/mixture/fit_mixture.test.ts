/** Gaussian mixtures against closed forms, a known mixture, and plain float64. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fitMixture, type MixtureOptions, type Points } from "../../../priors/mixture/fit_mixture.ts";
import type { Mixture } from "../../../priors/mixture/mixture.ts";
import { fillNormals } from "../../../core/normals.ts";
import { stream } from "../../../core/random.ts";
import { twin, wasm } from "../../kernels_under_test.ts";

function options(more: Partial<MixtureOptions> = {}): MixtureOptions {
  return {
    components: 2,
    floor: 1e-4,
    restarts: 1,
    iterations: 200,
    tolerance: 1e-9,
    random: stream(1),
    ...more,
  };
}

function points(rows: readonly (readonly number[])[], weights = rows.map(() => 1)): Points {
  return {
    dimensions: rows[0].length,
    values: Float64Array.from(rows.flat()),
    weights: Float64Array.from(weights),
  };
}

/** Samples of a mixture in two dimensions. */
function samples(mixture: Mixture, count: number): number[][] {
  const random = stream(7), normal = new Float64Array(2), scratch = wasm.allocate(8);
  return Array.from({ length: count }, () => {
    const aim = random.next(), k = aim < mixture.weights[0] ? 0 : 1;
    fillNormals(wasm, random.next, normal, scratch);
    const [a, b, , c] = mixture.covariances.subarray(4 * k), l = Math.sqrt(a), m = b / l;
    return [
      mixture.means[2 * k] + l * normal[0],
      mixture.means[2 * k + 1] + m * normal[0] + Math.sqrt(c - m * m) * normal[1],
    ];
  });
}

const KNOWN: Mixture = {
  dimensions: 2,
  weights: Float64Array.of(0.3, 0.7),
  means: Float64Array.of(-1, 0.5, 1, -0.25),
  covariances: Float64Array.of(0.2, 0.05, 0.05, 0.1, 0.1, -0.06, -0.06, 0.3),
};

Deno.test("fitMixture: what EM maximizes never decreases", () => {
  const value = fc.double({ min: -1, max: 1, noNaN: true });
  const data = fc.integer({ min: 1, max: 4 }).chain((d) => {
    return fc.array(fc.tuple(fc.array(value, { minLength: d, maxLength: d }), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 40,
    });
  });
  fc.assert(fc.property(data, fc.integer({ min: 1, max: 6 }), fc.constantFrom(1e-6, 1e-3, 0.1), (rows, k, floor) => {
    const given = points(rows.map(([row]) => row), rows.map(([, weight]) => weight));
    const { objective } = fitMixture(wasm, given, options({ components: k, floor, iterations: 25, tolerance: -1 }));
    assertEquals(objective.length, 26);
    objective.slice(1).forEach((measurements, i) =>
      assert(measurements >= objective[i] - 1e-7, `${objective[i]} then ${measurements}`)
    );
  }));
});

Deno.test("fitMixture: recovers the mixture that samples were drawn from", () => {
  const found = fitMixture(wasm, points(samples(KNOWN, 6000)), options({ floor: 1e-6, tolerance: 1e-7 }));
  assert(found.converged);
  const order = found.weights[0] < found.weights[1] ? [0, 1] : [1, 0];
  order.forEach((k, known) => {
    assertAlmostEquals(found.weights[k], KNOWN.weights[known], 0.02);
    for (let p = 0; p < 2; p++) assertAlmostEquals(found.means[2 * k + p], KNOWN.means[2 * known + p], 0.03);
    for (let p = 0; p < 4; p++) {
      assertAlmostEquals(found.covariances[4 * k + p], KNOWN.covariances[4 * known + p], 0.02);
    }
  });
});

Deno.test("fitMixture: one component is the mean and the covariance, plus the floor", () => {
  const rows = samples(KNOWN, 50), mean = [0, 1].map((p) => rows.reduce((sum, row) => sum + row[p], 0) / 50);
  const found = fitMixture(wasm, points(rows), options({ components: 1, floor: 0.01 }));
  [0, 1].forEach((p) => assertAlmostEquals(found.means[p], mean[p], 1e-12));
  [0, 1].forEach((p) =>
    [0, 1].forEach((q) => {
      const covariance = rows.reduce((sum, row) => sum + (row[p] - mean[p]) * (row[q] - mean[q]), 0) / 50;
      assertAlmostEquals(found.covariances[2 * p + q], covariance + (p === q ? 0.01 : 0), 1e-12);
    })
  );
});

Deno.test("fitMixture: a point of weight 3 is the point three times", () => {
  const rows = samples(KNOWN, 40), three = rows.flatMap((row, i) => i % 2 ? [row] : [row, row, row]);
  const how = () => options({ components: 1 });
  const once = fitMixture(wasm, points(rows, rows.map((_, i) => i % 2 ? 1 : 3)), how());
  const thrice = fitMixture(wasm, points(three), how());
  once.covariances.forEach((value, i) => assertAlmostEquals(value, thrice.covariances[i], 1e-12));
  assertAlmostEquals(once.objective.at(-1)!, thrice.objective.at(-1)!, 1e-10);
});

Deno.test("fitMixture: points that are all the same, fewer points than components, one point", () => {
  const same = fitMixture(wasm, points([[0.5, 0], [0.5, 0], [0.5, 0]]), options({ components: 3, floor: 0.01 }));
  assertEquals([same.weights.length, same.weights[0]], [1, 1]);
  [0.5, 0].forEach((value, p) => assertAlmostEquals(same.means[p], value, 1e-15));
  [0.01, 0, 0, 0.01].forEach((value, i) => assertAlmostEquals(same.covariances[i], value, 1e-15));

  const few = fitMixture(wasm, points([[0, 0], [1, 1]]), options({ components: 8 }));
  assertEquals([...few.weights], [0.5, 0.5]);
  assertEquals([...few.means].toSorted(), [0, 0, 1, 1]);

  const one = fitMixture(wasm, points([[0.25]], [5]), options({ components: 8, floor: 0.5 }));
  assertEquals([[...one.weights], [...one.means], [...one.covariances]], [[1], [0.25], [0.5]]);
  assert(one.converged);
});

Deno.test("fitMixture: more starts are never worse, and it says whether it converged", () => {
  const rows = points(samples(KNOWN, 300)), how = { components: 6, tolerance: 1e-3 };
  const [one, many] = [1, 6].map((restarts) => fitMixture(wasm, rows, options({ ...how, restarts })).objective.at(-1)!);
  assert(many >= one);
  const cut = fitMixture(wasm, rows, options({ ...how, iterations: 2, tolerance: 0 }));
  assertEquals([cut.converged, cut.objective.length], [false, 3]);
});

Deno.test("fitMixture: the same bits on the twin and on the WebAssembly", () => {
  const rows = points(samples(KNOWN, 200));
  const [a, b] = [twin, wasm].map((kernels) => fitMixture(kernels, rows, options({ components: 4 })));
  assertEquals(a, b);
});

Deno.test("fitMixture: kernel memory is given back", () => {
  const height = wasm.mark();
  fitMixture(wasm, points(samples(KNOWN, 20)), options());
  assert(wasm.mark() <= height + 16 + 80, "the samples' own scratch at most");
});
