/**
 * Restores degraded images with a denoiser in place of a prior of patches. Its answers are the least expected squared error under
 * the denoiser's model of images (`estimates`), or draws from it (`samples`): equation (epll x step) with one patch that is the
 * whole image, whose rho grows as the noise falls (`core/guidance.ts`).
 */
import { byteOf } from "../../core/bytes.ts";
import { denoiseImages, diffuse, type DiffusionModel, fitDiffusion } from "../../core/diffuse.ts";
import { guideBy, type Observed } from "../../core/guidance.ts";
import type { Kernels } from "../../core/kernels.ts";
import { optionValues } from "../../core/options.ts";
import type { Plugin } from "../../core/plugin.ts";
import { areaOf, lengthOf } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { Runner } from "../run/runner.ts";
import { classPyramid } from "../run/training_pyramids.ts";
import { baselineOf } from "./baselines.ts";
import { joined, numberOf, type RestorationGroup, type RestorationRequest, withKnownPixels } from "./restore.ts";

/** A restoration by a denoiser. */
export interface DenoiserRestoration extends RestorationRequest {
  /** The denoiser. */
  readonly denoiser: Plugin<"denoiser">;
}

/** Steps of a diffusion. */
const STEPS = 20;
/** The most images that go through a diffusion together. */
const BATCH = 16;
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

/**
 * Restores images by a denoiser.
 *
 * With one sample, each image is the best estimate: a noisy image is denoised in one step, and the others go from estimate to
 * estimate while the noise level falls. With more samples, each is drawn from noise, guided by what was observed.
 *
 * @returns for each image its samples, bytes of the profile's size
 * @throws {Error} if images are not aligned, and if the runner was stopped
 */
export async function restoreByDenoiser(
  runner: Runner,
  kernels: Kernels,
  request: DenoiserRestoration,
): Promise<Uint8Array[][]> {
  const { degraded, groups, samples, plan } = request;
  if (!plan.aligned) throw new Error("Cannot restore textures by a denoiser: expected aligned images");
  const isGuidedEstimate = samples === 1 && request.degradation.task !== "denoise";
  const starts = isGuidedEstimate ? baselineOf(kernels, request).images : undefined,
    restored = degraded.map((): Uint8Array[] => []);
  const bar = runner.progress("Restoring"), all = degraded.length * samples, mark = kernels.mark();
  let done = 0;
  try {
    for (const group of groups) {
      const { hr: [training] } = finish(classPyramid(kernels, plan, request.data, group.label));
      for (const batch of batchesOf(group, samples)) {
        const model = modelOf(kernels, request, training, batch.length);
        try {
          for (const progress of restoreBatch(request, model, starts, batch, restored)) {
            if (runner.signal.aborted) throw new Error("Stopped before all images were restored");
            bar.update((done + progress * batch.length) / all);
            await runner.pause();
          }
        } finally {
          model.dispose();
        }
        done += batch.length;
      }
      kernels.release(mark);
    }
  } finally {
    kernels.release(mark);
    bar.end();
  }
  return restored.map((images, n) => images.map((pixels) => withKnownPixels(request, n, pixels)));
}

/** A sample of a degraded image. */
interface Sample {
  /** Index among the degraded images. */
  readonly n: number;
  readonly sample: number;
}

function batchesOf({ images }: RestorationGroup, samples: number): Sample[][] {
  const all = images.flatMap((n) => Array.from({ length: samples }, (_, sample) => ({ n, sample })));
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, b) => all.slice(b * BATCH, (b + 1) * BATCH));
}

/** Fits the denoiser for a batch. Estimates average what overlapping windows say, where the denoiser can. */
function modelOf(
  kernels: Kernels,
  { degradation: { task, noise = 0, factor = 1 }, denoiser, samples, plan: { sizes: [size] } }: DenoiserRestoration,
  training: Parameters<typeof fitDiffusion>[0]["training"],
  batch: number,
): DiffusionModel {
  const isEstimate = samples === 1 || task === "denoise";
  const options = isEstimate && "response" in denoiser.options ? { response: "patch" } : {};
  const side = Math.min(size.height, size.width);
  const [first, less] = WINDOWS[task].map((part) => part * factor);
  const widest = side % 2 === 1 ? side : side - 1;
  const windows = task === "denoise" ? [2 * Math.max(1, Math.round(RADIUS * side * noise)) + 1] : Array.from(
    { length: STEPS },
    (_, i) => Math.min(widest, 2 * Math.max(1, Math.round((first - less * i / STEPS) * side / 2)) + 1),
  );
  const settings = { schedule: "cosine", steps: windows.length, windows, solver: "2m" } as const;
  return fitDiffusion({
    kernels,
    plugin: denoiser,
    values: optionValues(denoiser, options),
    settings,
    training,
    batch,
  });
}

/** Restores a batch, and yields the part that is done after each step. */
function* restoreBatch(
  { degradation: { task, noise = 0, factor = 1 }, degraded, known, seed, plan }: DenoiserRestoration,
  model: DiffusionModel,
  starts: readonly Uint8Array[] | undefined,
  batch: readonly Sample[],
  restored: Uint8Array[][],
): Generator<number> {
  const { kernels } = model, length = lengthOf(model), values = joined(batch.map(({ n }) => degraded[n].observed));
  const keep = (pixels: Uint8Array) => {
    batch.forEach(({ n }, b) => restored[n].push(pixels.slice(b * length, (b + 1) * length)));
  };
  if (task === "denoise") {
    const [{ window }] = model.levels;
    yield 0;
    return keep(Uint8Array.from(denoiseImages(model, { values, deviation: noise, window }), byteOf));
  }
  const lambda = 1 / EXACT ** 2, area = areaOf(model);
  const observed: Observed = task === "superres"
    ? { lr: { values, layers: Math.log2(factor), lambda } }
    : { pixels: { values, weights: values.map((_, i) => known[i % area] * lambda) } };
  const images = batch.map(({ n, sample }) => numberOf(n, sample)), mark = kernels.mark();
  try {
    const guide = guideBy(kernels, { ...plan.sizes[0], channels: plan.channels }, batch.length, observed);
    const estimate = starts && {
      start: {
        step: FIRST,
        images: joined(batch.map(({ n }) => Float32Array.from(starts[n], (byte) => byte / 255))),
      },
      noiseless: true,
    };
    const steps = diffuse(model, { seed, images, guide, ...estimate });
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield step.value.step / STEPS;
    keep(step.value.pixels);
  } finally {
    kernels.release(mark);
  }
}
