/** Small diffusions, which several tests run. */
import type { OracleInput } from "./plain_denoisers.ts";
import type { Noisy } from "../core/denoiser.ts";
import {
  diffuse,
  type DiffusionBatch,
  type DiffusionModel,
  type DiffusionStep,
  fitDiffusion,
} from "../core/diffuse.ts";
import { borrowing, type Kernels } from "../core/kernels.ts";
import { normals } from "../core/normals.ts";
import { optionValues } from "../core/options.ts";
import { stream } from "../core/random.ts";
import type { DiffusionSettings, NoiseLevel } from "../core/schedule.ts";
import { lengthOf } from "../core/shape.ts";
import { blobs } from "../core/testing/small_images.ts";
import type { Images } from "../core/types.ts";
import { builtins } from "../plugins/mod.ts";

/** Eight steps that end with small windows. */
export const SETTINGS: DiffusionSettings = {
  schedule: "cosine",
  steps: 8,
  windows: [15, 13, 11, 9, 7, 5, 3, 3],
};

/** Fits a built-in denoiser to training images, by default 20 small grey ones. */
export function smallDiffusion(
  kernels: Kernels,
  { name = "local-score", options = {}, training = blobs(20), settings = SETTINGS, batch = 5 }: {
    readonly name?: string;
    readonly options?: Readonly<Record<string, unknown>>;
    readonly training?: Images;
    readonly settings?: DiffusionSettings;
    readonly batch?: number;
  } = {},
): DiffusionModel {
  const { count, height, width, channels = 1, pixels } = training, plugin = builtins.find("denoiser", name);
  const at = kernels.allocate(pixels.length);
  kernels.u8(at, pixels.length).set(pixels);
  const rows = { count, height, width, channels, at };
  return fitDiffusion({ kernels, plugin, values: optionValues(plugin, options), settings, training: rows, batch });
}

/** Runs a diffusion to its end: the bytes, and of each step what `look` returns. */
export function runDiffusion<T>(model: DiffusionModel, work: DiffusionBatch, look: (step: DiffusionStep) => T) {
  const steps = diffuse(model, work), seen: T[] = [];
  try {
    for (let next = steps.next();; next = steps.next()) {
      if (next.done) return { pixels: next.value.pixels, seen };
      seen.push(look(next.value));
    }
  } finally {
    steps.return(undefined as never); // if `look` throws
  }
}

/** Values in [-1, 1] of each image of a set. */
export function unitImages(images: Images): Float64Array[] {
  const length = lengthOf(images);
  return Array.from({ length: images.count }, (_, n) => {
    return Float64Array.from(images.pixels.subarray(n * length, (n + 1) * length), (byte) => 2 * byte / 255 - 1);
  });
}

/** Other images of the training images' shape under the noise of a level, for the oracle. */
export function noisyInputs(
  kernels: Kernels,
  training: Images,
  { alphaBar, step }: NoiseLevel,
  count: number,
): OracleInput[] {
  const { height, width, channels = 1 } = training, shape = { height, width, channels };
  const examples = unitImages(training);
  return unitImages(blobs(count, 5, shape)).map((clean, image) => {
    const noise = normals(kernels, stream(11, image, step), clean.length);
    const noisy = clean.map((value, i) =>
      Math.fround(Math.sqrt(alphaBar) * value + Math.sqrt(1 - alphaBar) * noise[i])
    );
    return { ...shape, noisy, training: examples, alphaBar };
  });
}

/** Denoises noisy images of one level with a fitted model. */
export function denoiseWith<T>(
  { kernels, denoiser }: DiffusionModel,
  inputs: readonly OracleInput[],
  noise: NoiseLevel,
  look: (denoised: Float32Array, noisy: Noisy) => T,
): T {
  const length = inputs[0].noisy.length, values = inputs.length * length;
  return borrowing(kernels, () => {
    const from = kernels.allocate(values * 4), to = kernels.allocate(values * 4);
    inputs.forEach(({ noisy }, b) => kernels.f32(from + b * length * 4, length).set(noisy));
    const random = { uniforms: (out: Float64Array) => out.forEach((_, b) => out[b] = stream(3, b, noise.step).next()) };
    const noisy = { batch: inputs.length, images: kernels.f32(from, values), random };
    denoiser.denoise(noisy, noise, { images: kernels.f32(to, values) });
    return look(kernels.f32(to, values), noisy);
  });
}

/** The share of the variance of `wanted` that `actual` explains: 1 for equal values. */
export function rSquared(actual: ArrayLike<number>, wanted: ArrayLike<number>): number {
  const all = Array.from(wanted), mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const spread = all.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return 1 - all.reduce((sum, value, i) => sum + (value - actual[i]) ** 2, 0) / spread;
}
