/** A small profile, images and model to test the method with. */
import { finish, type Progress } from "../core/steps.ts";
import type { Kernels } from "../core/kernels.ts";
import { fitModel, type Model } from "../core/model.ts";
import { plan } from "../core/plan.ts";
import type { Profile } from "../core/profile.ts";
import { range } from "../core/numbers.ts";
import { seedImages, trainingPyramid } from "../core/pyramid.ts";
import { stream } from "../core/random.ts";
import type { Registry } from "../core/registry.ts";
import type { IterationResult, SynthesizedBatch } from "../core/batch.ts";
import type { Images, PatchSources } from "../core/types.ts";
import type { Size } from "../core/shape.ts";
import { builtins } from "../plugins/mod.ts";

/** Images of three soft blobs on black, under a little noise that keeps distances from being equal. */
export function blobs(count = 24, side = 16, seed = 1): Images {
  const random = stream(seed), pixels = new Uint8Array(count * side * side);
  for (let i = 0; i < count; i++) {
    const centres = Array.from({ length: 3 }, () => [random.next(), random.next(), 2 + 3 * random.next()]);
    for (let p = 0; p < side * side; p++) {
      const light = centres.reduce((sum, [y, x, width]) => {
        const distance = (Math.floor(p / side) - side * y) ** 2 + (p % side - side * x) ** 2;
        return sum + Math.exp(-distance / (2 * width * width));
      }, 0);
      pixels[i * side * side + p] = Math.min(200 * light + 20 * random.next(), 255);
    }
  }
  return { count, height: side, width: side, pixels };
}

/** Two layers, 4 -> 8 -> 16, with the features of the paper's profiles: windows, contexts, cycle spinning, a repeated offset, lambda = 0. */
export const small: Profile = {
  name: "small",
  about: "soft blobs, 16x16",
  dataset: "blobs",
  size: 16,
  classwise: false,
  patch: 4,
  prior: ["local-nn", { neighbours: 10 }],
  contexts: ["square", ["horizontal", { weight: 0.2 }]],
  layers: [
    {
      overlap: 1,
      iterations: 4,
      window: 2,
      h: [1, 1, 0.5, 0.5],
      lambda: [0, 0.05, 0.05, 1],
      rho: [0.01, 0.1, 1, 2],
      offsets: [[0, 0], [0, 0], [1, 2], [2, 1]],
    },
    {
      overlap: 2,
      iterations: 2,
      window: 0,
      h: [1, 1],
      lambda: [0, 0.1],
      rho: [0.01, 10],
      offsets: [[0, 0], [0, 0]],
    },
  ],
};

/** `small` fitted to the blobs, or what is given in their place. */
export function smallModel(
  kernels: Kernels,
  { profile = small, plugins = builtins, images = blobs(), batch = 16 }: {
    profile?: Profile;
    plugins?: Registry;
    images?: Images;
    batch?: number;
  } = {},
): Model {
  const planned = plan(profile, plugins);
  return finish(fitModel(kernels, planned, finish(trainingPyramid(kernels, images, planned.sizes)), batch));
}

/** `small` in colour and not square: 24 wide and 16 high. */
export const smallColour: Profile = { ...small, name: "small-colour", size: [24, 16], channels: 3 };

/** Blobs of that shape: each channel is cut from other blobs. */
export function colouredBlobs(count = 24, { height, width }: Size = { height: 16, width: 24 }, seed = 1): Images {
  const side = Math.max(height, width), grey = blobs(3 * count, side, seed), channels = 3;
  const pixels = Uint8Array.from({ length: count * channels * height * width }, (_, p) => {
    const plane = Math.floor(p / (height * width)), y = Math.floor(p / width) % height;
    return grey.pixels[(plane * side + y) * side + p % width];
  });
  return { count, height, width, channels, pixels };
}

/** A seed image for each of the images, by their numbers: of blobs that are not the training's. */
export function smallSeeds({ kernels, plan }: Model, images: ArrayLike<number> = range(16)): Float32Array {
  const [size] = plan.sizes, unseen = plan.channels === 3 ? colouredBlobs(32, size, 2) : blobs(32, size.width, 2);
  return seedImages(kernels, unseen, plan.sizes, images);
}

/** The history of an iteration that has drawn nothing yet. */
export const NO_SOURCES: PatchSources = { total: 0, sourceAt: () => -1, count: () => 0 };

/** Runs a synthesis to its end; the images of each step are copied. */
export function toEnd(
  run: Generator<IterationResult | Progress, SynthesizedBatch>,
): SynthesizedBatch & { steps: IterationResult[] } {
  const steps: IterationResult[] = [];
  for (let step = run.next();; step = run.next()) {
    if (step.done) return { ...step.value, steps };
    if (step.value.type === "iteration") steps.push({ ...step.value, images: step.value.images.slice() });
  }
}
