/**
 * Restores digits by the denoiser `local-score`, for the table in docs/restoring.md: `deno run -A bench/denoiser_restoration.ts
 * [COUNT]` prints the mean PSNR of the first COUNT test images (20). Each digit has the training images of its own class, as in
 * `deno task restore --profile digits`.
 *
 * Needs MNIST (PATCHLOOM_DATA).
 */
import { denoiseImages, diffuse, type DiffusionModel, fitDiffusion } from "../core/diffuse.ts";
import { guideBy, type Observed } from "../core/guidance.ts";
import { borrowing, type Kernels, loadKernels } from "../core/kernels.ts";
import { optionValues } from "../core/options.ts";
import { seedImages } from "../core/pyramid.ts";
import { finish } from "../core/steps.ts";
import type { Images } from "../core/types.ts";
import { chosenBy } from "../datasets/groups.ts";
import { CALIBRATED_WINDOWS } from "../datasets/profiles/windows.ts";
import { findData } from "../hosts/deno/data/find_data.ts";
import { paddedImages } from "../pipelines/assessment/padded_images.ts";
import { maskOf, withNoise } from "../pipelines/restoration/degradation.ts";
import { psnr } from "../pipelines/restoration/fidelity.ts";
import { builtins } from "../plugins/mod.ts";

const SIDE = 32, LENGTH = SIDE * SIDE, SIZE = { height: SIDE, width: SIDE };
const STEPS = 20, SAMPLES = 4;
/** The steps that the best estimates begin at: the noise is then as large as what is not known. */
const SHARPENING = 8, FILLING = 4;
/** Inpainting needs windows that reach into the hole. */
const WIDE = Array.from({ length: STEPS }, (_, i) => Math.min(31, 43 - 2 * i));
/** The deviation of what is observed exactly. */
const EXACT = 0.003;

/** Test images of one class, and the denoiser fitted to the training images of theirs. */
interface Group {
  readonly kernels: Kernels;
  readonly truth: Images;
  /** Their numbers among the test images. */
  readonly numbers: readonly number[];
  fit(windows: readonly number[], response: string, batch: number): DiffusionModel;
}

/** PSNR of each image of a group, by task. */
type Scores = Record<string, number[]>;

function add(scores: Scores, task: string, images: Uint8Array, { truth }: Group): void {
  for (let n = 0; n < truth.count; n++) {
    const [image, clean] = [images, truth.pixels].map((bytes) => bytes.subarray(n * LENGTH, (n + 1) * LENGTH));
    (scores[task] ??= []).push(psnr(image, clean));
  }
}

/** Each image `SAMPLES` times in turn. */
function repeated(values: Float32Array, count: number): Float32Array {
  const length = values.length / count, out = new Float32Array(values.length * SAMPLES);
  for (let i = 0; i < count * SAMPLES; i++) {
    const image = Math.floor(i / SAMPLES);
    out.set(values.subarray(image * length, (image + 1) * length), i * length);
  }
  return out;
}

/** Draws images that fit what was observed: scores one of each, and the mean of all. */
function draw(scores: Scores, task: string, group: Group, windows: readonly number[], observed: Observed): void {
  const { kernels, numbers } = group, batch = numbers.length * SAMPLES;
  const pixels = borrowing(kernels, () => {
    const model = group.fit(windows, "centre", batch), guide = guideBy(kernels, SIZE, batch, observed);
    const images = numbers.flatMap((number) => Array.from({ length: SAMPLES }, (_, s) => number * SAMPLES + s));
    return finish(diffuse(model, { seed: 1, images, guide })).pixels;
  });
  const sample = (n: number, s: number) => pixels.subarray((n * SAMPLES + s) * LENGTH, (n * SAMPLES + s + 1) * LENGTH);
  const [one, mean] = [new Uint8Array(numbers.length * LENGTH), new Uint8Array(numbers.length * LENGTH)];
  numbers.forEach((_, n) => {
    one.set(sample(n, 0), n * LENGTH);
    for (let p = 0; p < LENGTH; p++) {
      let sum = 0;
      for (let s = 0; s < SAMPLES; s++) sum += sample(n, s)[p];
      mean[n * LENGTH + p] = Math.round(sum / SAMPLES);
    }
  });
  add(scores, `${task}, one`, one, group);
  add(scores, `${task}, mean of ${SAMPLES}`, mean, group);
}

/** Goes from a first estimate to the best one that fits what was observed. */
function estimate(
  scores: Scores,
  task: string,
  group: Group,
  windows: readonly number[],
  start: { step: number; images: Float32Array },
  observed: Observed,
): void {
  const { kernels, numbers } = group, batch = numbers.length;
  const pixels = borrowing(kernels, () => {
    const model = group.fit(windows, "patch", batch), guide = guideBy(kernels, SIZE, batch, observed);
    return finish(diffuse(model, { seed: 1, images: numbers, start, guide, noiseless: true })).pixels;
  });
  add(scores, `${task}, best estimate`, pixels, group);
}

/** LR images, interpolated. */
function enlarged(kernels: Kernels, lr: Float32Array, count: number): Float32Array {
  return borrowing(kernels, () => {
    const [from, to] = [kernels.allocate(lr.length * 4), kernels.allocate(lr.length * 16)];
    kernels.f32(from, lr.length).set(lr);
    kernels.up(from, to, SIDE, SIDE, count);
    return kernels.f32(to, lr.length * 4).slice();
  });
}

function restoreGroup(scores: Scores, group: Group): void {
  const { kernels, truth, numbers } = group, unit = Float32Array.from(truth.pixels, (byte) => byte / 255);
  const sizes = [SIZE, { height: SIDE / 2, width: SIDE / 2 }], lambda = 1 / EXACT ** 2;
  const lr = seedImages(kernels, truth, sizes, numbers.map((_, n) => n));
  const windows = CALIBRATED_WINDOWS["mnist-resnet"];
  draw(scores, "super-resolution, 16x16 to 32", group, windows, {
    lr: { values: repeated(lr, numbers.length), layers: 1, lambda },
  });
  const first = { step: SHARPENING, images: enlarged(kernels, lr, numbers.length) };
  estimate(scores, "super-resolution, 16x16 to 32", group, windows, first, { lr: { values: lr, layers: 1, lambda } });
  const known = maskOf("quarter", SIZE), weights = unit.map((_, i) => known[i % LENGTH] * lambda);
  draw(scores, "a missing quarter", group, WIDE, {
    pixels: { values: repeated(unit, numbers.length), weights: repeated(weights, numbers.length) },
  });
  const masked = { step: FILLING, images: unit.map((value, i) => value * known[i % LENGTH]) };
  estimate(scores, "a missing quarter", group, WIDE, masked, { pixels: { values: unit, weights } });
  for (const [noise, window] of [[0.1, 3], [0.2, 5]]) {
    const values = new Float32Array(unit.length);
    numbers.forEach((image, n) => {
      const clean = unit.subarray(n * LENGTH, (n + 1) * LENGTH);
      values.set(withNoise(kernels, clean, SIZE, { noise, seed: 1, image }), n * LENGTH);
    });
    const estimates = borrowing(kernels, () => {
      return denoiseImages(group.fit([window], "patch", numbers.length), { values, deviation: noise, window });
    });
    add(scores, `noise of ${noise}`, Uint8Array.from(estimates, (value) => Math.round(value * 255)), group);
  }
}

const count = Number(Deno.args[0] ?? 20), scores: Scores = {};
const module = await WebAssembly.compile(await Deno.readFile(new URL("../assembly/kernels.wasm", import.meta.url)));
const { train, test } = await findData("mnist");
const plugin = builtins.find("denoiser", "local-score");
for (let label = 0; label < 10; label++) {
  const numbers = [...chosenBy(test.labels, label, test.images.count)].filter((number) => number < count);
  if (numbers.length === 0) continue;
  const kernels = loadKernels(module), chosen = chosenBy(train.labels, label, train.images.count);
  const { pixels } = paddedImages(train, chosen, SIZE), at = kernels.allocate(pixels.length);
  kernels.u8(at, pixels.length).set(pixels);
  const training = { ...SIZE, count: chosen.length, channels: 1, at };
  restoreGroup(scores, {
    kernels,
    numbers,
    truth: paddedImages(test, numbers, SIZE),
    fit(windows, response, batch) {
      const settings = { schedule: "cosine", steps: windows.length, windows, solver: "2m" } as const;
      return fitDiffusion({ kernels, plugin, values: optionValues(plugin, { response }), settings, training, batch });
    },
  });
}
for (const [task, values] of Object.entries(scores)) {
  console.log(`| ${task} | ${(values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2)} |`);
}
