/**
 * Restores degraded images with a denoiser in place of a prior of patches. Its answers are the least expected squared error under
 * the denoiser's model of images (`estimates`), or draws from it (`samples`): equation (epll x step) with one patch that is the
 * whole image, whose rho grows as the noise falls (`core/guidance.ts`).
 */
import type { Kernels } from "../../core/kernels.ts";
import type { Plugin } from "../../core/plugin.ts";
import { lengthOf } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { ProgramWork, Runner } from "../run/runner.ts";
import { isThirdParty } from "../../core/plugin_error.ts";
import { classPyramid } from "../run/training_pyramids.ts";
import { baselineOf } from "./baselines.ts";
import { denoiserProgram, type DenoiserSetUp, type DenoiserTask } from "./denoiser_program.ts";
import { joined, numberOf, type RestorationGroup, type RestorationRequest, withKnownPixels } from "./restore.ts";

/** A restoration by a denoiser. */
interface DenoiserRestoration extends RestorationRequest {
  /** The denoiser. */
  readonly denoiser: Plugin<"denoiser">;
}

/** The most images that go through a diffusion together. */
const BATCH = 16;

/**
 * Restores images by a denoiser.
 *
 * With one sample, each image is the best estimate: a noisy image is denoised in one step, and the others go from estimate to
 * estimate while the noise level falls. With more samples, each is drawn from noise, guided by what was observed.
 *
 * @param kernels those of the runner
 * @returns for each image its samples, bytes of the profile's size
 * @throws {Error} if images are not aligned, and if the runner was stopped
 */
export async function restoreByDenoiser(
  runner: Runner,
  kernels: Kernels,
  request: DenoiserRestoration,
): Promise<Uint8Array[][]> {
  const { degradation, degraded, denoiser, groups, known, samples, seed, plan } = request;
  if (!plan.aligned) throw new Error("Cannot restore textures by a denoiser: expected aligned images");
  const isGuidedEstimate = samples === 1 && degradation.task !== "denoise";
  const starts = isGuidedEstimate ? baselineOf(kernels, request).images : undefined;
  const bar = runner.progress("Restoring"), mark = kernels.mark();
  try {
    const training = groups.map(({ label }) => finish(classPyramid(kernels, plan, request.data, label)).hr[0]);
    const tasks = groups.flatMap((one, group) => {
      return batchesOf(one, samples).map((batch): DenoiserTask => ({
        group,
        numbers: batch.map(({ n, sample }) => numberOf(n, sample)),
        observed: joined(batch.map(({ n }) => degraded[n].observed)),
        ...starts && { starts: joined(batch.map(({ n }) => Float32Array.from(starts[n], (byte) => byte / 255))) },
      }));
    });
    const setUp = { denoiser: denoiser.name, training, degradation, known, seed, isEstimate: samples === 1 };
    const work = { setUp, tasks, kernels, thirdParty: isThirdParty(denoiser) };
    const restored = await resultsOf(runner, work, (done) => bar.update(done));
    return degraded.map((_, n) => {
      return Array.from({ length: samples }, (_, s) => withKnownPixels(request, n, restored.get(numberOf(n, s))!));
    });
  } finally {
    kernels.release(mark);
    bar.end();
  }
}

/** Does the tasks on all threads; returns the restored images by their numbers. */
async function resultsOf(
  runner: Runner,
  work: ProgramWork<DenoiserSetUp, DenoiserTask>,
  update: (done: number) => void,
): Promise<Map<number, Uint8Array>> {
  const { setUp: { training: [rows] }, tasks } = work, length = lengthOf(rows);
  const all = tasks.reduce((sum, { numbers }) => sum + numbers.length, 0), restored = new Map<number, Uint8Array>();
  let done = 0;
  for await (const event of runner.run(denoiserProgram, work)) {
    const { numbers } = tasks[event.task];
    if (event.type === "progress") update(done = Math.min(done + event.part * numbers.length / all, 1));
    else numbers.forEach((number, b) => restored.set(number, checkedImage(event.result, b, length)));
  }
  if (restored.size < all) throw new Error("Stopped before all images were restored");
  return restored;
}

/** An image of a batch; throws if there is none: the thread of a third-party denoiser may answer anything. */
function checkedImage(pixels: unknown, b: number, length: number): Uint8Array {
  if (pixels instanceof Uint8Array && pixels.length >= (b + 1) * length) {
    return pixels.slice(b * length, (b + 1) * length);
  }
  throw new Error("Cannot restore: expected the pixels of a batch from its thread, got others");
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
