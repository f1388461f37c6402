/** The tangent-plane prior against its closed form, against the local prior, and end to end. */
import { finish } from "../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { inverse, Matrix } from "ml-matrix";
import type { Kernels } from "../../core/kernels.ts";
import type { Profile } from "../../core/profile.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { stream } from "../../core/random.ts";
import { squareOf } from "../../core/shape.ts";
import type { SynthesizedBatch } from "../../core/batch.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { Images, ZStep } from "../../core/types.ts";
import { tangentPlane } from "../../priors/tangent_plane.ts";
import { assertClose, put, twin, wasm } from "../kernels_under_test.ts";
import { NO_SOURCES, small, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const SIZE = 8, PATCH = 4, AREA = PATCH * PATCH, AT = { y: 2, x: 4, visits: 1 };

/** Images of middle grey under noise, so that nothing has to be clamped; the first is nearest to the LR image asked for. */
function greys(count: number, channels = 1): Images {
  const random = stream(5), length = channels * SIZE * SIZE;
  const pixels = Uint8Array.from({ length: count * length }, (_, n) => {
    return 128 + (n < length ? 2 : 10) * (random.next() - 0.5) + 4 * Math.floor(n / length);
  });
  return { count, ...squareOf(SIZE), channels, pixels };
}

/** The patch of an image at the location, in [0, 1]. */
function patchOf({ pixels, channels = 1 }: Images, image: number): number[] {
  return Array.from({ length: channels * AREA }, (_, p) => {
    const channel = Math.floor(p / AREA), y = AT.y + Math.floor(p % AREA / PATCH), x = AT.x + p % PATCH;
    return pixels[((image * channels + channel) * SIZE + y) * SIZE + x] / 255;
  });
}

/** Draws `batch` patches near the first image: h is so small that no other example can be drawn. */
function drawn(images: Images, measured: readonly number[], options: {
  rho: number;
  batch: number;
  radius?: number;
  directions?: number;
  h?: number;
  zStep?: ZStep;
}): number[][] {
  const { rho, batch, radius = 0.5, directions = 3, h = 1e-9, zStep = "sample" } = options, { channels = 1 } = images;
  const height = wasm.mark(), area = channels * AREA;
  const { hr: [hr], lr: [lr] } = finish(trainingPyramid(wasm, images, pyramidSizes(squareOf(SIZE), 1)));
  const places = { layer: 0, ...squareOf(SIZE), channels, patch: PATCH, window: 0, context: [], locations: [AT] };
  const prior = tangentPlane.create({ neighbours: images.count, directions, radius });
  const of = finish(prior.fit({ ...places, batch, hr, lr, kernels: wasm }));
  const inLow = channels * (SIZE / 2) ** 2;
  const low = Array.from({ length: inLow }, (_, p) => wasm.u8(lr.at + p * lr.stride, 1)[0] / 255);
  const lrAt = put(wasm, Float32Array.from({ length: batch * inLow }, (_, i) => low[i % inLow]));
  const measuredAt = put(wasm, Float32Array.from({ length: batch * area }, (_, i) => measured[i % area]));
  const patchesAt = wasm.allocate(batch * area * 4), sourcesAt = wasm.allocate(batch * 12);
  const out = { patches: wasm.f32(patchesAt, batch * area), sources: wasm.i32(sourcesAt, batch * 3) };
  const measurements = {
    batch,
    lr: wasm.f32(lrAt, batch * inLow),
    patches: wasm.f32(measuredAt, batch * area),
    lrKey: {},
    sources: NO_SOURCES,
  };
  const uniforms = (to: Float64Array, draw = 0) => {
    const random = stream(9, draw);
    for (let i = 0; i < to.length; i++) to[i] = random.next();
  };
  of.draw(AT, measurements, { rho, h, iteration: 0, zStep }, { uniforms }, out);
  assertEquals([...out.sources], Array(batch * 3).fill(-1));
  const patches = Array.from({ length: batch }, (_, b) => [...out.patches.subarray(b * area, (b + 1) * area)]);
  wasm.release(height);
  return patches;
}

/** p, D, and the Gaussian of z = p + D^T c given the measured patch, by the textbook. */
function closedForm(images: Images, measured: readonly number[], rho: number, radius: number, directions: number) {
  const all = Array.from({ length: images.count }, (_, i) => patchOf(images, i)), [p] = all;
  const distance = (other: number[]) => other.reduce((sum, value, i) => sum + (value - p[i]) ** 2, 0);
  const spanning = all.slice(1).sort((a, b) => distance(a) - distance(b)).slice(0, directions);
  const D = new Matrix(spanning.map((other) => other.map((value, i) => value - p[i])));
  const m = D.rows, A = Matrix.eye(m).mul(m / radius ** 2).add(D.mmul(D.transpose()).mul(rho));
  const toward = Matrix.columnVector(measured.map((value, i) => value - p[i]));
  const mean = D.transpose().mmul(inverse(A)).mmul(D).mmul(toward).mul(rho).to1DArray().map((value, i) => value + p[i]);
  return { mean, covariance: D.transpose().mmul(inverse(A)).mmul(D) };
}

for (const [what, channels] of [["grey", 1], ["colour", 3]] as const) {
  Deno.test(`tangentPlane: the likeliest patch is the closed form's mean, samples have its mean and covariance (${what})`, () => {
    const images = greys(7, channels), measured = patchOf(images, 4).map((value) => value + 0.02), batch = 20000;
    for (const rho of [0, 30, 1000]) {
      const { mean, covariance } = closedForm(images, measured, rho, 0.5, 3);
      const [likeliest] = drawn(images, measured, { rho, batch: 1, zStep: "map" });
      assertClose(likeliest, mean, 1e-6);
      assertClose(drawn(images, measured, { rho, batch: 1, zStep: "mean" })[0], mean, 1e-6);
      const samples = drawn(images, measured, { rho, batch });
      const average = mean.map((_, p) => samples.reduce((sum, sample) => sum + sample[p], 0) / batch);
      for (let p = 0; p < mean.length; p++) {
        // Five standard errors.
        assertAlmostEquals(average[p], mean[p], 5 * Math.sqrt(covariance.get(p, p) / batch) + 1e-6);
        for (const q of [p, 0, mean.length - 1]) {
          const products = samples.map((sample) => (sample[p] - average[p]) * (sample[q] - average[q]));
          const error = Math.sqrt(covariance.get(p, p) * covariance.get(q, q) * 2 / batch);
          assertAlmostEquals(products.reduce((a, b) => a + b) / batch, covariance.get(p, q), 5 * error + 1e-9);
        }
      }
    }
  });
}

Deno.test("tangentPlane: the mean is that of the examples with their planes, by their weights", () => {
  const images = greys(2), measured = patchOf(images, 1), patches = [0, 1].map((i) => patchOf(images, i));
  // Of two examples each lies on the plane of the other; h without bound leaves rho to weigh them.
  const rho = 200, [mean] = drawn(images, measured, { rho, batch: 1, zStep: "mean", h: 1e12, directions: 1 });
  const squared = patches.map((patch) => patch.reduce((sum, value, i) => sum + (value - measured[i]) ** 2, 0));
  const weights = squared.map((distance) => Math.exp(-rho / 2 * distance)), total = weights[0] + weights[1];
  const means = [0, 1].map((i) => {
    const [p, other] = [patches[i], patches[1 - i]], d = other.map((value, j) => value - p[j]);
    const length = d.reduce((sum, value) => sum + value ** 2, 0);
    const along = d.reduce((sum, value, j) => sum + value * (measured[j] - p[j]), 0);
    const c = rho * along / (1 / 0.25 + rho * length);
    return p.map((value, j) => value + c * d[j]);
  });
  assertClose(mean, means[0].map((value, j) => (weights[0] * value + weights[1] * means[1][j]) / total), 1e-6);
});

Deno.test("tangentPlane: examples that are all the same, and one alone, span nothing and are drawn as they are", () => {
  const one = greys(1), same = { ...one, count: 4, pixels: new Uint8Array(4 * SIZE * SIZE) };
  for (let i = 0; i < 4; i++) same.pixels.set(one.pixels, i * SIZE * SIZE);
  for (const images of [one, same]) {
    for (const zStep of ["sample", "map", "mean"] as const) {
      const [patch] = drawn(images, patchOf(one, 0).map((value) => value + 0.1), { rho: 100, batch: 1, zStep });
      assertClose(patch, patchOf(one, 0), 1e-7);
    }
  }
});

const made = (prior: Profile["prior"], kernels: Kernels = wasm, numbers = [0, 1, 2, 3, 4]): SynthesizedBatch => {
  const height = kernels.mark(), model = smallModel(kernels, { profile: { ...small, prior } });
  const result = toEnd(synthesize(model, { seed: 1, images: numbers, seedImages: smallSeeds(model, numbers) }));
  kernels.release(height);
  return result;
};

Deno.test("tangentPlane: without directions, and without a radius, it is the local prior", () => {
  const { pixels } = made(["local-nn", { neighbours: 10 }]);
  assertEquals(made(["tangent-plane", { neighbours: 10, directions: 0 }]).pixels, pixels);
  assertEquals(made(["tangent-plane", { neighbours: 10, radius: 0 }]).pixels, pixels);
  assertNotEquals(made(["tangent-plane", { neighbours: 10 }]).pixels, pixels);
});

Deno.test("tangentPlane: whole images are the same from the twin and from the WebAssembly, alone and in a batch", () => {
  const { pixels } = made("tangent-plane"), area = small.size as number;
  assertEquals(made("tangent-plane", twin).pixels, pixels);
  const alone = made("tangent-plane", wasm, [3]).pixels;
  assertEquals(alone, pixels.slice(3 * area * area, 4 * area * area));
  assert(new Set(pixels).size > 50);
});
