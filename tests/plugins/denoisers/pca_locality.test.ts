import { assert } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { pcaWeights } from "../../../core/reference/denoise.ts";
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
