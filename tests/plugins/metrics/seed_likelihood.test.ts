import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { seedLikelihood } from "../../../plugins/metrics/seed_likelihood.ts";
import { assertClose, floats } from "../../kernels_under_test.ts";

/** The formula as it stands: only for seeds near enough that no term is rounded to 0. */
function direct(seeds: Float32Array, training: Float32Array, pixels: number, sigma: number): number[] {
  const count = training.length / pixels;
  return Array.from({ length: seeds.length / pixels }, (_, i) => {
    let density = 0;
    for (let j = 0; j < count; j++) {
      let squared = 0;
      for (let p = 0; p < pixels; p++) squared += (seeds[i * pixels + p] - training[j * pixels + p]) ** 2;
      density += Math.exp(-squared / (2 * sigma ** 2)) / (2 * Math.PI * sigma ** 2) ** (pixels / 2) / count;
    }
    return Math.log(density);
  });
}

const NATURAL = 1 / Math.sqrt(2 * Math.PI);

Deno.test("seedLikelihood: the logarithm of the Parzen window", () => {
  for (const [pixels, count, sigma] of [[16, 30, 0.2], [16, 1, NATURAL], [1, 7, 2], [4, 100, 0.15]]) {
    const seeds = floats(1, 5 * pixels), training = floats(2, count * pixels);
    assertClose(
      seedLikelihood(seeds, training, pixels, sigma),
      direct(seeds, training, pixels, sigma),
      1e-11,
      `${pixels} pixels, ${count} training seeds, seed`,
    );
  }
});

Deno.test("seedLikelihood: sigma is 1/sqrt(2 pi) by default, where a density is at most 1", () => {
  const seeds = floats(1, 64), training = floats(2, 320);
  assertEquals(seedLikelihood(seeds, training, 16), seedLikelihood(seeds, training, 16, NATURAL));
  assertAlmostEquals(seedLikelihood(seeds.subarray(0, 16), seeds.subarray(0, 16), 16)[0], 0, 1e-14);
});

Deno.test("seedLikelihood: is the density of one whole probability", () => {
  const step = 0.001, places = Float32Array.from({ length: 6000 }, (_, i) => step * i - 2.5);
  const densities = seedLikelihood(places, Float32Array.of(0, 0.1, 0.9), 1, 0.2).map(Math.exp);
  assertAlmostEquals(densities.reduce((a, b) => a + b) * step, 1, 1e-6);
});

Deno.test("seedLikelihood: seeds far from all others have a finite value", () => {
  const far = seedLikelihood(new Float32Array(16).fill(1), new Float32Array(32), 16, 0.01)[0];
  assertAlmostEquals(far, -16 / (2 * 0.01 ** 2) - 8 * Math.log(2 * Math.PI * 0.01 ** 2), 1e-9);
});

Deno.test("seedLikelihood: values stand in the order of the seeds, and the training seeds have none", () => {
  const seeds = floats(1, 12), training = floats(2, 40), values = seedLikelihood(seeds, training, 4);
  for (let i = 0; i < 3; i++) {
    assertEquals(seedLikelihood(seeds.subarray(4 * i, 4 * i + 4), training, 4)[0], values[i]);
  }
  const turned = Float32Array.from([...training.subarray(20), ...training.subarray(0, 20)]);
  assertClose(seedLikelihood(seeds, turned, 4), values, 1e-14);
});

Deno.test("seedLikelihood: tells in a sentence what it cannot use", () => {
  const some = new Float32Array(32), sentence = "Cannot compute the likelihood of seed images: expected ";
  const cases: [() => unknown, string][] = [
    [() => seedLikelihood(new Float32Array(), some, 16), "16 values for each of one or more seed images, got 0"],
    [
      () => seedLikelihood(some, new Float32Array(), 16),
      "16 values for each of one or more training seed images, got 0",
    ],
    [() => seedLikelihood(some.subarray(1), some, 16), "16 values for each of one or more seed images, got 31"],
    [
      () => seedLikelihood(some, some.subarray(1), 16),
      "16 values for each of one or more training seed images, got 31",
    ],
    [() => seedLikelihood(some, some, 0), "a whole number of pixels from 1 on, got 0"],
    [() => seedLikelihood(some, some, 1.5), "a whole number of pixels from 1 on, got 1.5"],
    ...[0, -1, NaN, Infinity].map((sigma): [() => unknown, string] => [
      () => seedLikelihood(some, some, 16, sigma),
      `sigma above 0, got ${sigma}`,
    ]),
  ];
  for (const [run, message] of cases) assertEquals(assertThrows(run, Error).message, sentence + message);
});
