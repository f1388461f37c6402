import { assertThrows } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { momentsOf, wiener } from "../../plain_denoisers.ts";
import { noiseLevels } from "../../../core/schedule.ts";
import { blobs } from "../../../core/testing/small_images.ts";
import type { Images } from "../../../core/types.ts";
import { assertClose, wasm } from "../../kernels_under_test.ts";
import { denoiseWith, noisyInputs, smallDiffusion, unitImages } from "../../small_diffusion.ts";

const LEVELS = noiseLevels({ schedule: "cosine", steps: 4 });
const SETS: [title: string, training: Images][] = [
  ["fewer images than values", blobs(12, 1, { height: 8, width: 8, channels: 1 })],
  ["more images than values", blobs(60, 1, { height: 5, width: 6, channels: 1 })],
  ["colour", blobs(30, 1, { height: 6, width: 5, channels: 3 })],
];

for (const [title, training] of SETS) {
  Deno.test(`wiener: the oracle's estimate, which solves the equations directly, ${title}`, () => {
    borrowing(wasm, () => {
      const model = smallDiffusion(wasm, { name: "wiener", training });
      for (const noise of LEVELS) {
        const inputs = noisyInputs(wasm, training, noise, 2), wanted = inputs.flatMap((input) => [...wiener(input)]);
        denoiseWith(model, inputs, noise, (found) => assertClose(found, wanted, 1e-5));
      }
    });
  });
}

Deno.test("wiener: the mean image at much noise, the noisy image itself in directions of great variance at little", () => {
  const training = blobs(60, 1, { height: 5, width: 6, channels: 1 }), { mean } = momentsOf(unitImages(training));
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { name: "wiener", training });
    const much = { alphaBar: 1e-8, window: 1, step: 0 }, little = { alphaBar: 1 - 1e-9, window: 1, step: 1 };
    denoiseWith(model, noisyInputs(wasm, training, much, 1), much, (found) => assertClose(found, mean, 2e-3));
    const [input] = noisyInputs(wasm, training, little, 1);
    denoiseWith(model, [input], little, (found) => assertClose(found, input.noisy, 1e-3));
  });
});

Deno.test("wiener: flat training images are the estimate; larger ones than it can take are refused", () => {
  const flat = { count: 3, height: 4, width: 4, pixels: new Uint8Array(48).fill(255) };
  const noise = LEVELS[1];
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { name: "wiener", training: flat });
    denoiseWith(
      model,
      noisyInputs(wasm, flat, noise, 1),
      noise,
      (found) => assertClose(found, new Array(16).fill(1), 1e-6),
    );
    const training = blobs(1, 1, { height: 64, width: 65, channels: 1 });
    const large = () => smallDiffusion(wasm, { name: "wiener", training });
    assertThrows(large, Error, "Cannot fit wiener: expected images of at most 4096 values, got 4160");
  });
});
