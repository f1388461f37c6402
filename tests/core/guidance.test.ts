import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { guideBy, type Observed } from "../../core/guidance.ts";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { solveLinear } from "../plain_denoisers.ts";
import type { NoiseLevel } from "../../core/schedule.ts";
import { lengthOf, type Shape } from "../../core/shape.ts";
import { blobs } from "../../core/testing/small_images.ts";
import { assertClose, floats, matrixOf, twin, wasm } from "../kernels_under_test.ts";
import { runDiffusion, smallDiffusion } from "../small_diffusion.ts";

/** Corrects estimates once. */
function guided(kernels: Kernels, shape: Shape, denoised: Float32Array, observed: Observed, noise: NoiseLevel = NOISE) {
  const batch = denoised.length / lengthOf(shape);
  borrowing(kernels, () => guideBy(kernels, shape, batch, observed).correct(denoised, noise));
}

const SHAPE = { height: 8, width: 8, channels: 1 }, NOISE = { alphaBar: 0.6, window: 3, step: 0 };
/** r^2 of the noise level: sigma^2 v / (sigma^2 + v), where pixels in [0, 1] have a quarter of the variance. */
const SIGMA2 = 0.4 / 0.6 / 4, LEFT = SIGMA2 * 0.1 / (SIGMA2 + 0.1);

Deno.test("guideBy: LR images, the minimum by a direct solution", () => {
  const denoised = floats(1, 64, -1, 1), values = floats(2, 16, 0, 1), lambda = 200;
  const [h, transposed] = borrowing(wasm, () => {
    const down = matrixOf(wasm, "down", 8, 4).to2DArray();
    return [down, matrixOf(wasm, "downTransposed", 4, 8).to2DArray()];
  });
  // (lambda r^2 H^T H + I) x = x̂ + lambda r^2 H^T Y
  const ratio = lambda * LEFT,
    normal = transposed.map((row) => {
      return h[0].map((_, j) => row.reduce((sum, value, k) => sum + value * h[k][j], 0));
    });
  const matrix = normal.map((row, i) => row.map((value, j) => ratio * value + (i === j ? 1 : 0)));
  const right = transposed.map((row, i) => {
    return [(denoised[i] + 1) / 2 + ratio * row.reduce((sum, value, k) => sum + value * values[k], 0)];
  });
  const wanted = solveLinear(matrix, right).map(([x]) => 2 * x - 1), found = denoised.slice();
  guided(wasm, SHAPE, found, { lr: { values, layers: 1, lambda } });
  assertClose(found, wanted, 2e-3);
  assert(found.some((value, i) => Math.abs(value - denoised[i]) > 0.1), "the LR image counts");
});

Deno.test("guideBy: two layers down, H^2 x comes to Y", () => {
  const denoised = floats(1, 256, -1, 1), values = floats(2, 16, 0.2, 0.8);
  guided(wasm, { height: 16, width: 16 }, denoised, { lr: { values, layers: 2, lambda: 1e9 } });
  borrowing(wasm, () => {
    const [x, half, quarter] = [256, 64, 16].map((length) => wasm.allocate(length * 4));
    wasm.f32(x, 256).set(denoised.map((value) => (value + 1) / 2));
    wasm.down(x, half, 16, 16, 1);
    wasm.down(half, quarter, 8, 8, 1);
    assertClose(wasm.f32(quarter, 16), values, 0.02);
  });
});

Deno.test("guideBy: an observed pixel is the mean of value and estimate, weighted by one over their variances", () => {
  const denoised = new Float32Array(64), values = new Float32Array(64).fill(1), weights = new Float32Array(64);
  weights[5] = 20;
  weights[6] = Infinity;
  guided(wasm, SHAPE, denoised, { pixels: { values, weights } });
  // In [0, 1] the estimate is 1/2, of variance r^2.
  const mean = (0.5 / LEFT + 20 * 1) / (1 / LEFT + 20);
  assertAlmostEquals(denoised[5], 2 * mean - 1, 1e-3);
  assertAlmostEquals(denoised[6], 1, 2e-3);
  assertEquals(denoised[7], 0);
});

Deno.test("guideBy: calms the noise of what was observed, and of nothing else", () => {
  const random = floats(3, 64, -2, 2), values = new Float32Array(64), weights = new Float32Array(64);
  weights[5] = Infinity;
  const calmed = (observed: Observed) => {
    const noise = Float64Array.from(random);
    borrowing(wasm, () => guideBy(wasm, SHAPE, 1, observed).calm!(noise));
    return noise;
  };
  const ofPixel = calmed({ pixels: { values, weights } });
  assertAlmostEquals(ofPixel[5], 0, 2e-3);
  random.forEach((value, i) => i !== 5 && assertEquals(ofPixel[i], value));

  const ofLr = calmed({ lr: { values: new Float32Array(16).fill(0.7), layers: 1, lambda: 1e9 } });
  borrowing(wasm, () => {
    const [x, half] = [wasm.allocate(256), wasm.allocate(64)];
    wasm.f32(x, 64).set(ofLr);
    wasm.down(x, half, 8, 8, 1);
    assertClose(wasm.f32(half, 16), new Float32Array(16), 0.05);
  });
  // A quarter of the directions is observed.
  const square = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value * value, 0);
  assert(square(ofLr) > 0.5 * square(random) && square(ofLr) < 0.95 * square(random));
});

Deno.test("guideBy: fades as the noise falls", () => {
  const moved = (alphaBar: number) => {
    const denoised = new Float32Array(64), values = new Float32Array(16).fill(1);
    guided(wasm, SHAPE, denoised, { lr: { values, layers: 1, lambda: 30 } }, { ...NOISE, alphaBar });
    return denoised[27];
  };
  assert(moved(0.1) > moved(0.9) && moved(0.9) > moved(0.999) && moved(0.999) > 0);
});

Deno.test("guideBy: an image is corrected as if alone; the same bytes on the twin", () => {
  const denoised = floats(1, 3 * 64, -1, 1), values = floats(2, 3 * 16, 0, 1);
  const partOf = (kernels: Kernels, from: number, to: number) => {
    const part = denoised.slice(from * 64, to * 64), lr = values.slice(from * 16, to * 16);
    guided(kernels, SHAPE, part, { lr: { values: lr, layers: 1, lambda: 100 } });
    return part;
  };
  const all = partOf(wasm, 0, 3);
  assertEquals(partOf(twin, 0, 3), all);
  for (const b of [0, 1, 2]) assertEquals(partOf(wasm, b, b + 1), all.slice(b * 64, (b + 1) * 64));
});

Deno.test("guideBy: a diffusion comes to the image of the training set whose LR image was observed", () => {
  const training = blobs(20), truth = training.pixels.slice(7 * 256, 8 * 256);
  borrowing(wasm, () => {
    const model = smallDiffusion(wasm, { training }), x = wasm.allocate(256 * 4), half = wasm.allocate(64 * 4);
    wasm.f32(x, 256).set(Float32Array.from(truth, (byte) => byte / 255));
    wasm.down(x, half, 16, 16, 1);
    const values = wasm.f32(half, 64).slice();
    const guide = guideBy(wasm, model, 1, { lr: { values, layers: 1, lambda: 1e4 } });
    const away = (pixels: Uint8Array) =>
      Math.sqrt(pixels.reduce((sum, byte, i) => sum + (byte - truth[i]) ** 2, 0) / 256);
    const [towards, free] = [{ guide }, {}].map((more) => {
      return away(runDiffusion(model, { seed: 1, images: [0], ...more }, () => {}).pixels);
    });
    assert(towards < 12 && towards < free / 2, `${towards} and ${free} grey levels`);
  });
});

Deno.test("guideBy: bad input in one sentence", () => {
  const lr = { values: new Float32Array(16), layers: 1, lambda: 1 }, many = new Float32Array(64);
  const wrong: [Observed, string][] = [
    [{ lr: { ...lr, layers: 0 } }, "expected an LR image of at least one layer below, got 0"],
    [{ lr: { ...lr, layers: 4 } }, "expected sides that are multiples of 16, got 8x8"],
    [{ lr: { ...lr, lambda: 0 } }, "expected lambda above 0, got 0"],
    [{ lr: { ...lr, lambda: NaN } }, "expected lambda above 0, got NaN"],
    [{ lr: { ...lr, values: many } }, "expected 16 LR values, got 64"],
    [{ pixels: { values: lr.values, weights: many } }, "expected 64 observed values, got 16"],
    [{ pixels: { values: many, weights: lr.values } }, "expected 64 weights, got 16"],
    [{ variance: 0 }, "expected a variance above 0, got 0"],
  ];
  for (const [observed, sentence] of wrong) {
    assertThrows(() => guideBy(wasm, SHAPE, 1, observed), Error, `Cannot guide a diffusion: ${sentence}`);
  }
});
