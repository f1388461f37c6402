/** A job is a batch of images of one class. Jobs are run in this process or in workers, with the same bytes. */
import type { Kernels } from "../../../core/kernels.ts";
import { fitModel, type FittedParts, type Model } from "../../../core/model.ts";
import type { Plan } from "../../../core/plan.ts";
import type { TrainingPyramid } from "../../../core/pyramid.ts";
import { synthesize } from "../../../core/synthesize.ts";
import type { Observations } from "../../../core/types.ts";
import type { Plugins } from "../plugins/load_plugins.ts";
import { describeImages, type SynthesizedImage as Described } from "../../../pipelines/synthesis/synthesized_image.ts";

/** The most images of a job: as many as share well what a search costs once (bench/README.md), few enough for progress to move. */
export const BATCH = 64;

/** How many images each job has, so that the threads have as many jobs each; `images` are those of the largest group. */
export function batchOf(images: number, threads: number): number {
  const rounds = Math.ceil(images / (threads * BATCH));
  return Math.ceil(images / (threads * rounds));
}

/** Images to synthesize together from one training pyramid. */
export interface Job {
  /** Which of the training pyramids. */
  readonly group: number;
  /** The images' numbers. */
  readonly images: readonly number[];
  /** One after another, in [0, 1]. */
  readonly seedImages: Float32Array;
  /** What was measured of each layer, where something was: see `Batch`. */
  readonly observed?: readonly Observations[];
}

/** A finished image of one of the groups. */
export interface GroupImage extends Described {
  readonly group: number;
}

/** What all jobs share. */
export interface Work {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly trainings: readonly TrainingPyramid[];
  readonly seed: number;
  /** The most images of a job. */
  readonly batch: number;
  /** For each of the training pyramids what the prior found, where that is done in parts and is done already. */
  readonly fitted?: readonly (FittedParts | undefined)[];
  /** Where the plan's plugins came from, where not all came along: workers load them again. */
  readonly plugins?: Plugins;
}

/** Runs one job; yields after every iteration how many of the plan's iterations are done. */
export function* runJob(work: Work, job: Job): Generator<number, GroupImage[]> {
  const { kernels, plan, seed, batch } = work, training = work.trainings[job.group];
  const mark = kernels.mark();
  let model: Model | undefined;
  try {
    model = fitModel(kernels, plan, training, batch, work.fitted?.[job.group]);
    const steps = synthesize(model, { seed, ...job });
    let step = steps.next(), done = 0;
    for (; !step.done; step = steps.next()) yield ++done;
    return describeImages(work, training, job.images, step.value).map((image) => ({ ...image, group: job.group }));
  } finally {
    model?.dispose();
    kernels.release(mark);
  }
}

/** How many iterations a job takes. */
export function iterationsOf(plan: Plan): number {
  return plan.layers.reduce((sum, layer) => sum + layer.iterations.length, 0);
}
