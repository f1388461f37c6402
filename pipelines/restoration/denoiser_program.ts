/** Restoration by a denoiser as a program of threads: each task restores a batch of images. */
import { byteOf } from "../../core/bytes.ts";
import { denoiseImages, diffuse, type DiffusionModel, fitDiffusion } from "../../core/diffuse.ts";
import { guideBy, type Observed } from "../../core/guidance.ts";
import { borrowingSteps, type Kernels } from "../../core/kernels.ts";
import { optionValues } from "../../core/options.ts";
import type { Plugin } from "../../core/plugin.ts";
import { areaOf } from "../../core/shape.ts";
import { eachEvent, PROGRESS, type Progress } from "../../core/steps.ts";
import type { Rows } from "../../core/types.ts";
import type { Program, TaskPart } from "../run/runner.ts";
import type { Degradation } from "./degradation.ts";

/** What all tasks have in common. */
export interface DenoiserSetUp {
  /** The name of the denoiser. */
  readonly denoiser: string;
  /** The training images of each group, in the memory of the kernels. */
  readonly training: readonly Rows[];
  readonly degradation: Degradation;
  /** height x width: 1 where a pixel is known, 0 where it is missing. */
  readonly known: Float32Array;
  /** The random seed. */
  readonly seed: number;
  /** Whether each image is the best estimate, or drawn from noise. */
  readonly isEstimate: boolean;
}

/** A batch of degraded images. */
export interface DenoiserTask {
  /** The index of their training images. */
  readonly group: number;
  /** Their numbers: see `numberOf`. */
  readonly numbers: readonly number[];
  /** What was observed of each, one after another: values in [0, 1]. */
  readonly observed: Float32Array;
  /** What estimates begin with, one image after another: values in [0, 1]. */
  readonly starts?: Float32Array;
}

/** Steps of a diffusion. */
const STEPS = 20;
/** The deviation of what is observed exactly: a step from one grey level to the next. */
const EXACT = 0.003;
/**
 * Windows as parts of the side, most noise first: in step i of T the first minus the second times i / T. Holes need windows that
 * reach over them, and super-resolution windows in proportion to its factor. Chosen on built-in digits and faces.
 */
const WINDOWS = { superres: [0.15, 0.15], inpaint: [0.7, 0.7], denoise: [0, 0] } as const;
/** The step that estimates begin at, with the baseline: the first one has so much noise that nothing of it is left. */
const FIRST = 1;
/** Radius of a window that takes noise of deviation 1 away, as a part of the side: more noise needs more pixels. */
const RADIUS = 0.25;

/** Restores batches; returns their bytes, one image after another. */
export const denoiserProgram: Program<DenoiserSetUp, DenoiserTask, Uint8Array> = {
  name: "denoiser-restoration",
  prepare({ kernels, plugins }, setUp) {
    const denoiser = plugins.find("denoiser", setUp.denoiser);
    return function* (task) {
      const model = modelOf(kernels, setUp, denoiser, task);
      try {
        return yield* restoreBatch(setUp, model, task);
      } finally {
        model.dispose();
      }
    };
  },
};

/** Fits the denoiser for a batch. Estimates average what overlapping windows say, where the denoiser can. */
function modelOf(
  kernels: Kernels,
  { degradation: { task, noise = 0, factor = 1 }, isEstimate, training: all }: DenoiserSetUp,
  plugin: Plugin<"denoiser">,
  { group, numbers }: DenoiserTask,
): DiffusionModel {
  const training = all[group], side = Math.min(training.height, training.width);
  const options = (isEstimate || task === "denoise") && "response" in plugin.options ? { response: "patch" } : {};
  const [first, less] = WINDOWS[task].map((part) => part * factor);
  const widest = side % 2 === 1 ? side : side - 1;
  const windows = task === "denoise" ? [2 * Math.max(1, Math.round(RADIUS * side * noise)) + 1] : Array.from(
    { length: STEPS },
    (_, i) => Math.min(widest, 2 * Math.max(1, Math.round((first - less * i / STEPS) * side / 2)) + 1),
  );
  const settings = { schedule: "cosine", steps: windows.length, windows, solver: "2m" } as const;
  const values = optionValues(plugin, options);
  return fitDiffusion({ kernels, plugin, values, settings, training, batch: numbers.length });
}

/** Restores a batch, and yields the part that was done in each step. */
function* restoreBatch(
  { degradation: { task, noise = 0, factor = 1 }, known, seed }: DenoiserSetUp,
  model: DiffusionModel,
  { numbers: images, observed: values, starts }: DenoiserTask,
): Generator<Progress & Partial<TaskPart>, Uint8Array> {
  const { kernels, height, width, channels } = model;
  if (task === "denoise") {
    const [{ window }] = model.levels;
    yield PROGRESS;
    return Uint8Array.from(denoiseImages(model, { values, deviation: noise, window }), byteOf);
  }
  const lambda = 1 / EXACT ** 2, area = areaOf(model);
  const observed: Observed = task === "superres"
    ? { lr: { values, layers: Math.log2(factor), lambda } }
    : { pixels: { values, weights: values.map((_, i) => known[i % area] * lambda) } };
  return yield* borrowingSteps(kernels, function* () {
    const guide = guideBy(kernels, { height, width, channels }, images.length, observed);
    const estimate = starts && { start: { step: FIRST, images: starts }, noiseless: true };
    const steps = diffuse(model, { seed, images, guide, ...estimate });
    const { pixels } = yield* eachEvent(steps, () => [{ ...PROGRESS, part: 1 / STEPS }]);
    return pixels;
  });
}
