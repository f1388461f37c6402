import { assert, assertEquals } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { pcaWeights } from "../../plain_denoisers.ts";
import { noiseLevels } from "../../../core/schedule.ts";
import { blobs } from "../../../core/testing/small_images.ts";
import type { Images } from "../../../core/types.ts";
import { assertClose, wasm } from "../../kernels_under_test.ts";
import { denoiseWith, noisyInputs, rSquared, smallDiffusion, unitImages } from "../../small_diffusion.ts";

const LEVELS = noiseLevels({ schedule: "cosine", steps: 4 });
const SETS: [title: string, training: Images][] = [
  ["fewer images than values", blobs(12, 1, { height: 8, width: 8, channels: 1 })],
  ["more images than values", blobs(60, 1, { height: 5, width: 6, channels: 1 })],
  ["colour", blobs(30, 1, { height: 6, width: 5, channels: 3 })],
];

for (const [title, training] of SETS) {
  Deno.test(`pca-locality: the oracle's estimate, ${title}`, () => {
    borrowing(wasm, () => {
      const model = smallDiffusion(wasm, { name: "pca-locality", training, options: { tau: 0.1 } });
      for (const noise of LEVELS) {
        const inputs = noisyInputs(wasm, training, noise, 2);
        const wanted = inputs.flatMap((input) => {
          return pcaWeights(input, 0.1).map((weights, p) => {
            return weights.reduce((sum, weight, n) => sum + weight * input.training[n][p], 0);
          });
        });
        const r2 = denoiseWith(model, inputs, noise, (found) => rSquared(found, wanted));
        assert(r2 >= 0.9999, `r2 ${r2} at step ${noise.step}`);
      }
    });
  });
}

Deno.test("pca-locality: values in which all training images are the same stay as they are, and change no other", () => {
  const inner = blobs(20, 1, { height: 6, width: 6, channels: 1 }), noise = LEVELS[1];
  const framed = { ...inner, height: 8, pixels: new Uint8Array(20 * 48).fill(51) };
  for (let n = 0; n < 20; n++) framed.pixels.set(inner.pixels.subarray(n * 36, (n + 1) * 36), n * 48 + 6);
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, inner, noise, 1);
    const border = [0.3, -2, 5, 1, 0, -0.7], noisy = [...border, ...Array.from(input.noisy), ...border];
    const ofInner = smallDiffusion(wasm, { name: "pca-locality", training: inner });
    const wanted = denoiseWith(ofInner, [input], noise, (found) => Array.from(found));
    const model = smallDiffusion(wasm, { name: "pca-locality", training: framed });
    const edge = new Array(6).fill(Math.fround(2 * 51 / 255 - 1));
    denoiseWith(model, [{ ...input, noisy, height: 8 }], noise, (found) => {
      assertEquals(Array.from(found), [...edge, ...wanted, ...edge]);
    });
  });
});

Deno.test("pca-locality: one training image is the answer to any noise", () => {
  const training = blobs(1, 1, { height: 6, width: 6, channels: 1 });
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, LEVELS[0], 1), [image] = unitImages(training);
    const model = smallDiffusion(wasm, { name: "pca-locality", training });
    denoiseWith(model, [input], LEVELS[0], (found) => assertEquals(found, Float32Array.from(image)));
  });
});

Deno.test("pca-locality: at tau 0 every value counts: the exact denoiser", () => {
  const training = blobs(10, 1, { height: 6, width: 6, channels: 1 }), noise = { alphaBar: 0.2, window: 1, step: 0 };
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, noise, 1), examples = unitImages(training);
    const logits = examples.map((image) => {
      return -image.reduce((sum, value, i) => sum + (input.noisy[i] - Math.sqrt(0.2) * value) ** 2, 0) / 1.6;
    });
    const most = Math.max(...logits), terms = logits.map((logit) => Math.exp(logit - most));
    const sum = terms.reduce((all, term) => all + term, 0);
    const wanted = examples[0].map((_, i) => terms.reduce((all, term, n) => all + term / sum * examples[n][i], 0));
    const model = smallDiffusion(wasm, { name: "pca-locality", training, options: { tau: 0 } });
    denoiseWith(model, [input], noise, (found) => assertClose(found, wanted, 1e-5));
  });
});
