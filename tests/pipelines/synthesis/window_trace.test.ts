import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import { openSynthesizer, type SynthesisRequest } from "../../../pipelines/synthesis/synthesizer.ts";
import { HEAVIEST, traceWindow } from "../../../pipelines/synthesis/window_trace.ts";
import { builtins } from "../../../plugins/mod.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

const WINDOWS = [9, 9, 7, 5, 3, 3];
const request: SynthesisRequest = { seed: 4, images: [2], class: 5, from: "noise" };

function open(minOriginality = 0) {
  const pack = smallPack(), noise = { layer: 0, steps: 6, windows: WINDOWS, minOriginality };
  return openSynthesizer(newKernels(), { ...pack, profile: { ...pack.profile, noise } }, builtins);
}

function traced(synthesizer: ReturnType<typeof open>, step: number, y: number, x: number) {
  const options = { plugins: builtins, scratch: newKernels() };
  return finish(traceWindow(synthesizer, request, { step, y, x }, options));
}

/** The noisy images and estimates of all steps of the last attempt, in [-1, 1]. */
function stepsOf(synthesizer: ReturnType<typeof open>) {
  const steps: { alphaBar: number; noisy: Float32Array; denoised: Float32Array }[] = [];
  for (const event of synthesizer.synthesize(request)) {
    if (event.type !== "step") continue;
    if (event.step === 0) steps.length = 0;
    const { alphaBar, noisy, denoised } = event;
    steps.push({ alphaBar, noisy: noisy.slice(), denoised: denoised.slice() });
  }
  return steps;
}

/** exp(-|x_t - s x_n|^2 / (2 b)) over the window around a pixel, as a share of all. */
function plainWeights(
  { alphaBar, noisy }: { alphaBar: number; noisy: Float32Array },
  examples: readonly Uint8Array[],
  window: number,
  y: number,
  x: number,
): number[] {
  const reach = window >> 1, side = 16;
  const distances = examples.map((pixels) => {
    let sum = 0;
    for (let row = Math.max(0, y - reach); row <= Math.min(side - 1, y + reach); row++) {
      for (let column = Math.max(0, x - reach); column <= Math.min(side - 1, x + reach); column++) {
        const at = row * side + column;
        sum += (noisy[at] - Math.sqrt(alphaBar) * (2 * pixels[at] / 255 - 1)) ** 2;
      }
    }
    return sum / (2 * (1 - alphaBar));
  });
  const least = Math.min(...distances), weights = distances.map((distance) => Math.exp(least - distance));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}

Deno.test("traceWindow: the weights are those of the formula, and their mean is the estimate's pixel", () => {
  const synthesizer = open(), steps = stepsOf(synthesizer), { labels } = synthesizer.pack.train;
  const places = [[0, 1, 1], [2, 8, 8], [3, 0, 15], [5, 7, 4]];
  for (const [step, y, x] of places) {
    const { shown, examples, count, effective, level, shape } = traced(synthesizer, step, y, x);
    assertEquals([count, shape, level.window], [8, { height: 16, width: 16, channels: 1 }, WINDOWS[step]]);
    assert(shown.every(({ image }, i) => labels![image] === 5 && (i === 0 || shown[i - 1].weight >= shown[i].weight)));
    const pixels = shown.map(({ image }) => examples.get(image)!);
    const plain = plainWeights(steps[step], pixels, WINDOWS[step], y, x);
    shown.forEach(({ weight }, i) => assertAlmostEquals(weight, plain[i], 1e-3));
    const mean = shown.reduce((sum, { weight }, i) => sum + weight * (2 * pixels[i][16 * y + x] / 255 - 1), 0);
    assertAlmostEquals(mean, steps[step].denoised[16 * y + x], 1e-3);
    const entropy = plain.reduce((sum, weight) => weight > 0 ? sum - weight * Math.log(weight) : sum, 0);
    assertAlmostEquals(effective, Math.exp(entropy), 0.02);
  }
});

Deno.test("traceWindow: of images that are made again, the last attempt is traced", () => {
  const synthesizer = open(10), steps = stepsOf(synthesizer), { shown, examples } = traced(synthesizer, 4, 8, 8);
  const mean = shown.reduce((sum, { weight, image }) => {
    return sum + weight * (2 * examples.get(image)![16 * 8 + 8] / 255 - 1);
  }, 0);
  assert(shown.length <= HEAVIEST);
  // 10 is never reached: the most original attempt was chosen, which need not be the last one.
  const attempts: number[] = [];
  for (const event of synthesizer.synthesize(request)) if (event.type === "seeds") attempts.push(event.attempts[0]);
  const chosen = attempts.at(-1)!, estimates: number[] = [];
  for (const event of synthesizer.synthesize(request)) {
    if (event.type === "step" && event.step === 4 && event.attempts[0] === chosen) {
      estimates.push(event.denoised[16 * 8 + 8]);
    }
  }
  assertAlmostEquals(mean, estimates.at(-1)!, 1e-3);
  assertEquals(steps.length, 6);
});

Deno.test("traceWindow: a denoiser without weights, and steps that there are not", () => {
  const synthesizer = open(), scratch = newKernels();
  const wiener = { ...request, set: ["noise.denoiser=wiener"] };
  const trace = finish(traceWindow(synthesizer, wiener, { step: 1, y: 3, x: 3 }, { plugins: builtins, scratch }));
  assertEquals([trace.count, trace.shown, trace.examples.size], [0, [], 0]);
  assertThrows(() => traced(synthesizer, 6, 0, 0), RangeError, "Cannot trace step 7: the images have 6 steps");
  const seeded = { ...request, from: undefined };
  assertThrows(
    () => finish(traceWindow(synthesizer, seeded, { step: 0, y: 0, x: 0 }, { plugins: builtins, scratch })),
    RangeError,
    "Cannot trace step 1: the images have 0 steps",
  );
});
