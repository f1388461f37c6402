import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { averagedWeights, localWeights, weightedMean } from "../../plain_denoisers.ts";
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

Deno.test("local-score: weights make up the pixel, are the oracle's, and name no image that the estimate does not depend on", () => {
  const training = blobs(20), area = 256;
  for (const response of ["centre", "patch"]) {
    borrowing(wasm, () => {
      const model = smallDiffusion(wasm, { training, options: { response } });
      for (const noise of LEVELS) {
        const inputs = noisyInputs(wasm, training, noise, 2), image = 1, [y, x] = [5, 14], p = y * 16 + x;
        denoiseWith(model, inputs, noise, (found, noisy) => {
          const weights = new Float64Array(20), used = new Set<number>();
          model.denoiser.weights!(noisy, noise, { image, y, x }, weights);
          model.denoiser.compared!(image, (n) => used.add(n));
          const local = localWeights(inputs[image], noise.window);
          const answer = response === "centre" ? local : averagedWeights(inputs[image], local, noise.window);
          assertClose(weights, answer[p], 2e-3, "weight");
          const sum = weights.reduce((all, weight, n) => all + weight * inputs[image].training[n][p], 0);
          assertAlmostEquals(found[image * area + p], sum, 1e-4);
          assertEquals([...weights.keys()].filter((n) => weights[n] > 0 && !used.has(n)), []);
        });
      }
    });
  }
});

Deno.test("local-score: without a training image that it did not compare, not a byte changes; without another one, some do", () => {
  const training = blobs(30), noise = { alphaBar: 0.9, window: 31, step: 0 };
  const without = (left: number): Images => {
    const kept = [...new Array(30).keys()].filter((n) => n !== left);
    const pixels = new Uint8Array(29 * 256);
    kept.forEach((n, i) => pixels.set(training.pixels.subarray(n * 256, (n + 1) * 256), i * 256));
    return { ...training, count: 29, pixels };
  };
  borrowing(wasm, () => {
    const inputs = noisyInputs(wasm, training, noise, 1), model = smallDiffusion(wasm, { training });
    const used = new Set<number>();
    const whole = denoiseWith(model, inputs, noise, (found) => {
      model.denoiser.compared!(0, (n) => used.add(n));
      return found.slice();
    });
    assert(used.size > 1 && used.size < 30, `${used.size} of 30 images used`);
    let changes = 0;
    for (let left = 0; left < 30; left++) {
      const fewer = smallDiffusion(wasm, { training: without(left) });
      const now = denoiseWith(fewer, inputs, noise, (found) => found.slice());
      if (!used.has(left)) assertEquals(now, whole);
      else changes += now.some((value, i) => value !== whole[i]) ? 1 : 0;
    }
    assert(changes > 0);
  });
});

Deno.test("local-score: a temperature is another noise in the weights alone", () => {
  const training = blobs(20), noise = { alphaBar: 0.4, window: 7, step: 0 };
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, noise, 1);
    // exp(l / T) with l = -d / (2 b): weights of the oracle to the power of 1 / T.
    const weights = localWeights(input, 7).map((row) => {
      const powers = row.map((weight) => weight ** (1 / 0.7)), sum = powers.reduce((a, b) => a + b, 0);
      return powers.map((power) => power / sum);
    });
    const model = smallDiffusion(wasm, { training, options: { temperature: 0.7 } });
    const r2 = denoiseWith(model, [input], noise, (found) => rSquared(found, weightedMean(input, weights)));
    assert(r2 >= 0.9999, `r2 ${r2}`);
  });
});

Deno.test("local-score: with a neighbour window, the oracle's estimate over moved images", () => {
  const training = blobs(6, 2, { height: 8, width: 9, channels: 1 }), noise = { alphaBar: 0.5, window: 5, step: 0 };
  const moved = unitImages(training).flatMap((image) => {
    return [-1, 0, 1].flatMap((dy) =>
      [-1, 0, 1].map((dx) => {
        return image.map((_, i) => {
          const y = Math.min(Math.max(Math.floor(i / 9) + dy, 0), 7), x = Math.min(Math.max(i % 9 + dx, 0), 8);
          return image[y * 9 + x];
        });
      })
    );
  });
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, noise, 1), wide = { ...input, training: moved };
    const model = smallDiffusion(wasm, { training, options: { neighbourWindow: 2 } });
    const local = localWeights(wide, 5), wanted = weightedMean(wide, local);
    denoiseWith(model, [input], noise, (found, noisy) => {
      const r2 = rSquared(found, wanted), weights = new Float64Array(6);
      assert(r2 >= 0.9999, `r2 ${r2}`);
      model.denoiser.weights!(noisy, noise, { image: 0, y: 3, x: 4 }, weights);
      const sums = [0, 1, 2, 3, 4, 5].map((n) => {
        return local[3 * 9 + 4].slice(9 * n, 9 * n + 9).reduce((all, weight) => all + weight, 0);
      });
      assertClose(weights, sums, 2e-3, "weight");
    });
  });
});

Deno.test("local-score: a subset is the estimate of the nearest images alone, fewer of them in later steps", () => {
  const training = blobs(20), settings = { schedule: "cosine", steps: 6, windows: [31, 11, 7, 5, 3, 1] } as const;
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training, settings, options: { subset: 0.5 } });
    for (const noise of LEVELS) {
      const inputs = noisyInputs(wasm, training, noise, 3), taken = [10, 9, 8, 7, 6, 5][noise.step];
      const wanted = inputs.flatMap((input) => {
        const scale = Math.sqrt(noise.alphaBar);
        const distances = input.training.map((image) => {
          return Array.from(image).reduce((sum, value, i) => sum + (input.noisy[i] - scale * value) ** 2, 0);
        });
        const nearest = [...distances.keys()].sort((a, b) => distances[a] - distances[b]).slice(0, taken);
        const fewer = { ...input, training: nearest.map((n) => input.training[n]) };
        return [...weightedMean(fewer, localWeights(fewer, noise.window))];
      });
      const r2 = denoiseWith(model, inputs, noise, (found) => rSquared(found, wanted));
      assert(r2 >= 0.9999, `r2 ${r2} at step ${noise.step}`);
    }
    assertEquals(model.denoiser.compared, undefined);
  });
});

Deno.test("local-score: with mirror, the windows of both places count", () => {
  const width = 10, training = blobs(12, 2, { height: 8, width, channels: 1 });
  const noise = { alphaBar: 0.5, window: 3, step: 0 }, mirror = 0.5, s = Math.sqrt(0.5);
  borrowing(wasm, () => {
    const [input] = noisyInputs(wasm, training, noise, 1), examples = unitImages(training);
    const square = (image: Float64Array, y: number, x: number) => {
      return (input.noisy[y * width + x] - s * image[y * width + x]) ** 2;
    };
    const distance = (image: Float64Array, y: number, x: number) => {
      let sum = 0;
      for (let v = Math.max(y - 1, 0); v <= Math.min(y + 1, 7); v++) {
        for (let u = Math.max(x - 1, 0); u <= Math.min(x + 1, width - 1); u++) {
          sum += square(image, v, u) + (u > 0 ? mirror * square(image, v, width - u) : 0);
        }
      }
      return sum;
    };
    const wanted = examples[0].map((_, p) => {
      const terms = examples.map((image) => Math.exp(-distance(image, Math.floor(p / width), p % width)));
      const total = terms.reduce((all, term) => all + term, 0);
      return terms.reduce((sum, term, n) => sum + term / total * examples[n][p], 0);
    });
    const model = smallDiffusion(wasm, { training, options: { mirror } });
    const r2 = denoiseWith(model, [input], noise, (found, noisy) => {
      const weights = new Float64Array(12);
      model.denoiser.weights!(noisy, noise, { image: 0, y: 4, x: 3 }, weights);
      const sum = weights.reduce((all, weight, n) => all + weight * examples[n][4 * width + 3], 0);
      assertAlmostEquals(sum, found[4 * width + 3], 1e-4);
      return rSquared(found, wanted);
    });
    assert(r2 >= 0.9999, `r2 ${r2}`);
    const moved = () => smallDiffusion(wasm, { training, options: { mirror, neighbourWindow: 2 } });
    assertThrows(moved, Error, "Cannot fit local-score: expected neighbourWindow 1 with mirror");
  });
});
