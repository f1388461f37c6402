/** EPLL's prior: its posterior against the closed form, its density against plain float64, and what it may be fitted to. */
import { finish } from "../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { determinant, inverse, Matrix } from "ml-matrix";
import type { Mixture } from "../../priors/mixture/mixture.ts";
import { packMixture } from "../../priors/mixture/patch_mixture.ts";
import { range } from "../../core/numbers.ts";
import { trainingPyramid } from "../../core/pyramid.ts";
import { stream } from "../../core/random.ts";
import { squareOf } from "../../core/shape.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { FittedPrior, Images, LayerData, Location, ZStep } from "../../core/types.ts";
import { gmm } from "../../priors/gmm.ts";
import { optionValues } from "../../core/options.ts";
import { put, twin, wasm } from "../kernels_under_test.ts";
import { blobs, NO_SOURCES, small, smallModel, smallSeeds, toEnd } from "../small_world.ts";

type Values = Parameters<typeof gmm.create>[0];

const prior = (options: Partial<Values> = {}) => gmm.create(optionValues(gmm, options) as Values);

/** A layer, HR images of `side` pixels, with every place of a patch of `patch` pixels a location. */
function layerOf(images: Images, patch: number, more: Partial<LayerData> = {}): LayerData {
  const { height: side, count } = images,
    { hr: [hr], lr: [lr] } = finish(trainingPyramid(
      wasm,
      images,
      [squareOf(side), squareOf(side / 2)],
      range(count),
    ));
  const along = Array.from({ length: side - patch + 1 }, (_, at) => at);
  const locations = along.flatMap((y) => along.map((x) => ({ y, x, visits: 1 })));
  const shape = { layer: 0, height: side, width: side, channels: 1, patch, window: 0, context: [] };
  return { ...shape, locations, batch: 4096, hr, lr, kernels: wasm, ...more };
}

/** Draws for a batch of images that all have the same measured patch and LR image; other chance for each. */
function drawn(
  fitted: FittedPrior,
  layer: LayerData,
  { zStep = "sample", rho, y, low, batch = 1, at = layer.locations[0] }: {
    zStep?: ZStep;
    rho: number;
    y: readonly number[];
    low: readonly number[];
    batch?: number;
    at?: Location;
  },
): Float32Array {
  const repeat = (values: readonly number[]) =>
    Float32Array.from({ length: batch * values.length }, (_, i) => {
      return values[i % values.length];
    });
  const height = wasm.mark(), area = y.length;
  const patchesAt = put(wasm, repeat(y)), lrAt = put(wasm, repeat(low));
  const outAt = wasm.allocate(batch * area * 4), sourcesAt = wasm.allocate(batch * 12);
  const streams = Array.from({ length: batch }, (_, b) => stream(11, b)), rows: number[][] = [];
  const random = {
    uniforms: (to: Float64Array, n = 0) => to.set(rows[n] ??= streams.map((stream) => stream.next())),
  };
  const measurements = {
    batch,
    patches: wasm.f32(patchesAt, batch * area),
    lr: wasm.f32(lrAt, batch * low.length),
    lrKey: {},
    sources: NO_SOURCES,
  };
  const out = { patches: wasm.f32(outAt, batch * area), sources: wasm.i32(sourcesAt, batch * 3) };
  fitted.draw(at, measurements, { rho, h: 1, iteration: 0, zStep }, random, out);
  assert(out.sources.every((source) => source === -1), "its patches are no copies");
  const patches = out.patches.slice();
  wasm.release(height);
  return patches;
}

/** A mixture of pairs: one LR feature, four HR values; far enough inside [0, 1] that nothing is clamped. */
function knownMixture(): Mixture {
  const random = stream(4),
    d = 5,
    covariances = [0, 1].flatMap(() => {
      const root = new Matrix(Array.from({ length: d }, () => Array.from({ length: d }, () => random.next() - 0.5)));
      return root.mmul(root.transpose()).mul(2e-3).add(Matrix.eye(d, d, 4e-4)).to1DArray();
    });
  return {
    dimensions: d,
    weights: Float64Array.of(0.4, 0.6),
    means: Float64Array.of(0.02, 0.45, 0.5, 0.55, 0.5, -0.02, 0.52, 0.48, 0.5, 0.56),
    covariances: Float64Array.from(covariances),
  };
}

const FEATURES = { mean: Float64Array.of(0.5), axes: Float64Array.of(1) };

/** The known mixture at the only place of 4x4 training images, which it does not come from. */
function known(options: Partial<Values> = { components: 2, given: 1 }) {
  const layer = layerOf({ count: 1, height: 4, width: 4, pixels: new Uint8Array(16) }, 2, {
    locations: [{ y: 0, x: 0, visits: 1 }],
  });
  const { parts } = prior(options), mixture = knownMixture();
  return { layer, mixture, fitted: parts!.load(layer, [packMixture(wasm, mixture, FEATURES, 1e-6)]) };
}

/** The posterior of z in plain float64: its components' weights, means and covariances. */
function posterior(mixture: Mixture, feature: number, y: readonly number[], rho: number) {
  const d = 5,
    logNormal = (x: Matrix, covariance: Matrix) => {
      const distance = x.transpose().mmul(inverse(covariance)).mmul(x).get(0, 0);
      return -distance / 2 - Math.log(determinant(covariance)) / 2 - x.rows / 2 * Math.log(2 * Math.PI);
    };
  const components = [0, 1].map((k) => {
    const all = new Matrix(Array.from({ length: d }, (_, p) => {
      return [...mixture.covariances.subarray((k * d + p) * d, (k * d + p + 1) * d)];
    }));
    const low = all.get(0, 0), cross = all.subMatrix(1, 4, 0, 0), away = feature - mixture.means[k * d];
    const mean = Matrix.columnVector([...mixture.means.subarray(k * d + 1, (k + 1) * d)]).add(
      Matrix.mul(cross, away / low),
    );
    const rest = all.subMatrix(1, 4, 1, 4).sub(cross.mmul(cross.transpose()).div(low));
    const measured = Matrix.columnVector([...y]), wide = Matrix.add(rest, Matrix.eye(4, 4, 1 / rho));
    const covariance = inverse(Matrix.add(inverse(rest), Matrix.eye(4, 4, rho)));
    return {
      log: Math.log(mixture.weights[k]) + logNormal(Matrix.columnVector([away]), new Matrix([[low]])) +
        logNormal(Matrix.sub(measured, mean), wide),
      mean: covariance.mmul(inverse(rest).mmul(mean).add(Matrix.mul(measured, rho))),
      covariance,
    };
  });
  const largest = Math.max(...components.map(({ log }) => log));
  const total = components.reduce((sum, { log }) => sum + Math.exp(log - largest), 0);
  return components.map((component) => ({ ...component, weight: Math.exp(component.log - largest) / total }));
}

const Y = [0.52, 0.5, 0.49, 0.57], LOW = [0.53, 0, 0, 0];

Deno.test("gmm: a sample's mean and covariance are the posterior's", () => {
  for (const rho of [50, 1000]) {
    const { fitted, layer, mixture } = known(), batch = 4096, closed = posterior(mixture, 0.03, Y, rho);
    assert(closed.every(({ weight }) => weight > 0.05), "both components count, or the test proves little");
    const patches = drawn(fitted, layer, { rho, y: Y, low: LOW, batch });
    const found = [0, 1, 2, 3].map((p) => {
      return patches.reduce((sum, value, i) => i % 4 === p ? sum + value : sum, 0) / batch;
    });
    const mean = [0, 1, 2, 3].map((p) => closed.reduce((sum, { weight, mean }) => sum + weight * mean.get(p, 0), 0));
    const covariance = [0, 1, 2, 3].map((p) =>
      [0, 1, 2, 3].map((q) => {
        return closed.reduce((sum, one) => {
          return sum + one.weight * (one.covariance.get(p, q) + one.mean.get(p, 0) * one.mean.get(q, 0));
        }, 0) - mean[p] * mean[q];
      })
    );
    for (const p of [0, 1, 2, 3]) {
      assertAlmostEquals(found[p], mean[p], 4.5 * Math.sqrt(covariance[p][p] / batch));
      for (const q of [0, 1, 2, 3]) {
        let sum = 0;
        for (let b = 0; b < batch; b++) sum += (patches[4 * b + p] - found[p]) * (patches[4 * b + q] - found[q]);
        const error = Math.sqrt((covariance[p][p] * covariance[q][q] + covariance[p][q] ** 2) / batch);
        assertAlmostEquals(sum / batch, covariance[p][q], 5 * error);
      }
    }
  }
});

Deno.test("gmm: mean is the posterior's mean, map the likeliest component's Wiener estimate", () => {
  for (const rho of [1e-3, 50, 1000, 1e6]) {
    const { fitted, layer, mixture } = known(), closed = posterior(mixture, 0.03, Y, rho);
    const mean = drawn(fitted, layer, { rho, y: Y, low: LOW, zStep: "mean" });
    const map = drawn(fitted, layer, { rho, y: Y, low: LOW, zStep: "map" });
    const likeliest = closed[0].weight > closed[1].weight ? closed[0] : closed[1];
    for (const p of [0, 1, 2, 3]) {
      const wanted = closed.reduce((sum, one) => sum + one.weight * one.mean.get(p, 0), 0);
      assertAlmostEquals(mean[p], wanted, 1e-5);
      assertAlmostEquals(map[p], likeliest.mean.get(p, 0), 1e-5);
    }
  }
});

Deno.test("gmm: rho of 0 and of the largest number", () => {
  const { fitted, layer } = known();
  const y = [0.9, 0.1, 2, -1], free = drawn(fitted, layer, { rho: 0, y, low: LOW, zStep: "mean" });
  assertEquals(
    drawn(fitted, layer, { rho: 0, y: Y, low: LOW, zStep: "mean" }),
    free,
    "the measured patch does not count",
  );
  const bound = drawn(fitted, layer, { rho: Number.MAX_VALUE, y, low: LOW });
  [0.9, 0.1, 1, 0].forEach((value, p) => assertAlmostEquals(bound[p], value, 1e-5));
});

Deno.test("gmm: the density is that of HR patches by themselves, in plain float64", () => {
  const { fitted, layer, mixture } = known(),
    out = new Float64Array(2),
    patches = Float32Array.of(...Y, 0.5, 0.4, 0.6, 0.5);
  fitted.logDensity!(layer.locations[0], patches, out);
  [0, 1].forEach((i) => {
    let density = 0;
    for (const k of [0, 1]) {
      const covariance = new Matrix([1, 2, 3, 4].map((p) => {
        return [...mixture.covariances.subarray(k * 25 + p * 5 + 1, k * 25 + p * 5 + 5)];
      }));
      const away = Matrix.columnVector([0, 1, 2, 3].map((p) => patches[4 * i + p] - mixture.means[5 * k + 1 + p]));
      const distance = away.transpose().mmul(inverse(covariance)).mmul(away).get(0, 0);
      density += mixture.weights[k] * Math.exp(-distance / 2) / Math.sqrt(determinant(covariance) * (2 * Math.PI) ** 4);
    }
    assertAlmostEquals(out[i], Math.log(density), 1e-4);
  });
});

Deno.test("gmm: fitted as a whole or in parts, in any order, draws the same", () => {
  const model = (kernels: typeof wasm) => smallModel(kernels, { profile: { ...small, prior: ["gmm", FEW] }, batch: 3 });
  const run = (kernels: typeof wasm) => {
    const height = kernels.mark(), own = model(kernels), images = [0, 1, 2];
    const { pixels } = toEnd(synthesize(own, { seed: 1, images, seedImages: smallSeeds(own, images) }));
    kernels.release(height);
    return pixels;
  };
  assertEquals(run(wasm), run(twin), "the WebAssembly and its twin");
  const layer = layerOf(blobs(12), 4, { locations: [[0, 0], [5, 6], [12, 12]].map(([y, x]) => ({ y, x, visits: 1 })) });
  const { parts, fit } = prior(FEW),
    count = parts!.count(layer),
    y = new Array(16).fill(0.3),
    low = new Array(64).fill(0.4);
  const bytes = [...Array(count).keys()].toReversed().map((part) => parts!.fit(layer, part)).toReversed();
  const loaded = parts!.load(layer, bytes), whole = finish(fit(layer));
  for (const at of layer.locations) {
    const [a, b] = [loaded, whole].map((fitted) => drawn(fitted, layer, { rho: 1, y, low, at }));
    assertEquals(a, b);
  }
});

const FEW = { components: 3, given: 4, patches: 100 };

Deno.test("gmm: without the LR side it is EPLL's: the LR image does not count", () => {
  const layer = layerOf(blobs(24), 4, { locations: [{ y: 4, x: 5, visits: 1 }] }), y = new Array(16).fill(0.3);
  const draws = (options: Partial<Values>) => {
    const fitted = finish(prior({ ...FEW, ...options }).fit(layer));
    return [0.1, 0.8].map((low) => [...drawn(fitted, layer, { rho: 1, y, low: new Array(64).fill(low) })]);
  };
  const [a, b] = draws({ given: 0 }), [c, d] = draws({});
  assertEquals(a, b);
  const mean = (patch: number[]) => patch.reduce((sum, value) => sum + value / 16, 0);
  assert(mean(d) > mean(c), "a lighter LR image has lighter patches");
});

Deno.test("gmm: one mixture for all places of a kind, or one for each", () => {
  const layer = layerOf(blobs(8), 4), count = (local: boolean) => prior({ ...FEW, local }).parts!.count(layer);
  assertEquals([count(true), count(false)], [169, 4], "even and odd rows and columns fall otherwise on LR pixels");
  const fitted = finish(prior({ ...FEW, local: false }).fit(layer)),
    y = new Array(16).fill(0.3),
    low = new Array(64).fill(0.4);
  const [a, b] = [[0, 2], [8, 6]].map(([y, x]) => layer.locations.find((at) => at.y === y && at.x === x)!)
    .map((at) => drawn(fitted, layer, { rho: 1, y, low, at }));
  assertEquals(a, b, "blind to the place");
});

Deno.test("gmm: one black image, and images that are all the same, are drawn as they are", () => {
  for (const [grey, count] of [[0, 1], [0, 20], [255, 3], [100, 7]]) {
    const images = { count, height: 8, width: 8, pixels: new Uint8Array(64 * count).fill(grey) };
    const layer = layerOf(images, 4, { locations: [{ y: 0, x: 0, visits: 1 }] });
    const fitted = finish(prior().fit(layer)), low = new Array(16).fill(grey / 255), out = new Float64Array(2);
    const patch = drawn(fitted, layer, { rho: 0.01, y: new Array(16).fill(0.5), low });
    for (const value of patch) assertAlmostEquals(value, grey / 255, 5 * 4 / 255);
    const same = Float32Array.from({ length: 32 }, (_, i) => i < 16 ? grey / 255 : 0.5);
    fitted.logDensity!(layer.locations[0], same, out);
    assert(Number.isFinite(out[1]) && out[0] > out[1]);
    // One Gaussian of the floor's variance: 4 grey levels in each of 16 directions.
    assertAlmostEquals(out[0], -8 * Math.log(2 * Math.PI * (4 / 255) ** 2), 1e-3);
  }
});

Deno.test("gmm: bytes that are not its own are one sentence each", () => {
  const layer = layerOf(blobs(12), 4, { locations: [{ y: 0, x: 0, visits: 1 }] }), { parts } = prior(FEW);
  const bytes = parts!.fit(layer, 0), load = (...all: Uint8Array[]) => () => parts!.load(layer, all);
  const broken = (change: (view: DataView) => void) => {
    const copy = bytes.slice();
    change(new DataView(copy.buffer));
    return copy;
  };
  const start = 'Cannot load mixture 0 of prior "gmm": expected ',
    cases: [string, () => unknown][] = [
      ['Cannot load prior "gmm": expected 1 mixtures, got 0', load()],
      [`${start}at least 20 bytes, got 0`, load(new Uint8Array(0))],
      [`${start}${bytes.length} bytes, got ${bytes.length - 4}`, load(bytes.subarray(0, -4))],
      [`${start}the bytes of a mixture of patches, got others`, load(broken((view) => view.setUint32(0, 7)))],
      [`${start}finite numbers, got NaN`, load(broken((view) => view.setFloat32(bytes.length - 4, NaN, true)))],
      [
        `${start}HR patches of 16 values, 4 features of 4 LR values and 3 components, got HR patches of 16 values, 4 features of 4 LR values and 4000000000 components`,
        load(broken((view) => view.setUint32(16, 4e9, true))),
      ],
      [
        `${start}HR patches of 16 values, 4 features of 4 LR values and 3 components, got HR patches of 9 values, 4 features of 4 LR values and 3 components`,
        load(broken((view) => view.setUint32(4, 9, true))),
      ],
    ];
  for (const [sentence, run] of cases) assertThrows(run, Error, sentence);
  load(bytes)();
  // Where in a file the bytes lie does not matter.
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  load(shifted.subarray(1))();
});

Deno.test("gmm: a place that it was not fitted to is one sentence", () => {
  const { fitted, layer } = known();
  const ask = () => drawn(fitted, layer, { rho: 1, y: Y, low: LOW, at: { y: 1, x: 2, visits: 1 } });
  assertThrows(ask, Error, 'prior "gmm" was not fitted at (2, 1)');
});
