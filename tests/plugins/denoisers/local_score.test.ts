import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { averagedWeights, localWeights, weightedMean } from "../../../core/reference/denoise.ts";
import { noiseLevels } from "../../../core/schedule.ts";
import { blobs } from "../../../core/testing/small_images.ts";
import type { Images } from "../../../core/types.ts";
import { assertClose, wasm } from "../../kernels_under_test.ts";
import { denoiseWith, noisyInputs, rSquared, smallDiffusion, unitImages } from "../../small_diffusion.ts";

const LEVELS = noiseLevels({ schedule: "cosine", steps: 6, windows: [31, 11, 7, 5, 3, 1] });
const SETS: [title: string, training: Images][] = [
  ["grey", blobs(20)],
  ["colour", blobs(8, 3, { height: 12, width: 16, channels: 3 })],
  ["odd sides", blobs(9, 4, { height: 7, width: 13, channels: 1 })],
];

for (const [title, training] of SETS) {
  for (const response of ["centre", "patch"]) {
    Deno.test(`local-score: the oracle's estimate, ${response} response, ${title}`, () => {
      for (const noise of LEVELS) {
        const inputs = noisyInputs(wasm, training, noise, 2);
        const found = borrowing(wasm, () => {
          return denoiseWith(
            smallDiffusion(wasm, { training, options: { response } }),
            inputs,
            noise,
            (x) => x.slice(),
          );
        });
        const wanted = inputs.flatMap((input) => {
          const weights = localWeights(input, noise.window);
          const answer = response === "centre" ? weights : averagedWeights(input, weights, noise.window);
          return [...weightedMean(input, answer)];
        });
        const r2 = rSquared(found, wanted);
        assert(r2 >= 0.9999, `r2 ${r2} at step ${noise.step}`);
      }
    });
  }
}

Deno.test("local-score: one training image is the estimate at any noise", () => {
  const training = blobs(1), [image] = unitImages(training);
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training });
    for (const noise of LEVELS) {
      denoiseWith(model, noisyInputs(wasm, training, noise, 1), noise, (found) => assertClose(found, image, 1e-6));
    }
  });
});

Deno.test("local-score: two images of one pixel have the weights of logistic regression", () => {
  const training = { count: 2, height: 1, width: 1, pixels: Uint8Array.of(0, 255) };
  const noise = { alphaBar: 0.5, window: 1, step: 0 }, s = Math.sqrt(0.5);
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training });
    for (const x of [-2, -0.5, 0, 0.3, 1.5]) {
      const input = { height: 1, width: 1, noisy: [x], training: [[-1], [1]], alphaBar: 0.5 };
      // -(x - s)^2 / 2b + (x + s)^2 / 2b = 2 x s / b
      const share = 1 / (1 + Math.exp(-2 * x * s / 0.5));
      denoiseWith(model, [input], noise, ([found]) => assertAlmostEquals(found, 2 * share - 1, 1e-3));
    }
  });
});

Deno.test("local-score: much noise gives the mean of all images, little noise the nearest one", () => {
  const training = blobs(15), examples = unitImages(training);
  const mean = examples[0].map((_, i) => examples.reduce((sum, image) => sum + image[i], 0) / examples.length);
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training });
    const much = { alphaBar: 1e-9, window: 31, step: 0 }, little = { alphaBar: 0.9999, window: 31, step: 1 };
    denoiseWith(model, noisyInputs(wasm, training, much, 1), much, (found) => assertClose(found, mean, 5e-3));
    const noisy = examples[6].map((value) => Math.fround(Math.sqrt(0.9999) * value));
    const input = { height: 16, width: 16, noisy, training: examples, alphaBar: 0.9999 };
    denoiseWith(model, [input], little, (found) => assertClose(found, examples[6], 1e-6));
  });
});

Deno.test("local-score: a window of the whole image is the exact denoiser, the same weights in every pixel", () => {
  const training = blobs(10), noise = { alphaBar: 0.02, window: 31, step: 2 };
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, noise, 1), exact = localWeights(input, 31);
    for (const weights of exact) assertClose(weights, exact[0], 1e-9);
    assert(exact[0].filter((weight) => weight > 0.01).length > 1, "more than one image counts");
    const wanted = weightedMean(input, exact);
    denoiseWith(smallDiffusion(wasm, { training }), [input], noise, (found) => assertClose(found, wanted, 5e-3));
  });
});

Deno.test("local-score: one training image drawn for each window, each as often as its weight says", () => {
  const training = { count: 2, height: 1, width: 1, pixels: Uint8Array.of(0, 255) };
  const noise = { alphaBar: 0.5, window: 1, step: 0 }, count = 400, x = 0.2;
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training, options: { draw: "one" }, batch: count });
    const input = { height: 1, width: 1, noisy: [x], training: [[-1], [1]], alphaBar: 0.5 };
    const share = 1 / (1 + Math.exp(-2 * x * Math.sqrt(0.5) / 0.5));
    denoiseWith(model, Array.from({ length: count }, () => input), noise, (found) => {
      assertEquals([...new Set(found)].sort(), [-1, 1].sort());
      const ones = found.filter((value) => value === 1).length / count;
      // Four standard errors.
      assertAlmostEquals(ones, share, 4 * Math.sqrt(share * (1 - share) / count));
    });
  });
});
