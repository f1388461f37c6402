/** A job is a batch of images of one class. Jobs are run in this process or in workers, with the same bytes. */
import type { Kernels } from "../../core/kernels.ts";
import { fitModel, type Model } from "../../core/model.ts";
import { type Nearest, nearestTraining } from "../../core/nearest.ts";
import type { Plan } from "../../core/plan.ts";
import { contributors } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import { synthesize } from "../../core/synthesize.ts";

/** Images to synthesize together from one training pyramid. */
export interface Job {
  /** Which of the training pyramids. */
  readonly group: number;
  /** The images' numbers. */
  readonly images: readonly number[];
  /** One after another, in [0, 1]. */
  readonly seedImages: Float32Array;
}

/** A finished image. */
export interface Finished {
  readonly number: number;
  readonly group: number;
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** Undefined where training images are exemplars, of which none is like a whole image. */
  readonly nearest?: Nearest;
  /** The training images that most of its pixels came from, largest share first. */
  readonly contributors: readonly { readonly image: number; readonly share: number }[];
  /** Root mean square of the X-step's correction against the average of the patches, in [0, 1] units. */
  readonly correction: number;
}

/** What all jobs share. */
export interface Work {
  readonly kernels: Kernels;
  readonly plan: Plan;
  readonly trainings: readonly TrainingPyramid[];
  readonly seed: number;
  /** The most images of a job. */
  readonly batch: number;
}

const TOP_CONTRIBUTORS = 5;

/** Runs one job; yields after every iteration how many of the plan's iterations are done. */
export function* runJob(work: Work, job: Job): Generator<number, Finished[]> {
  const { kernels, plan, seed, batch } = work, training = work.trainings[job.group];
  const mark = kernels.mark();
  let model: Model | undefined;
  try {
    model = fitModel(kernels, plan, training, batch);
    const steps = synthesize(model, { seed, images: job.images, seedImages: job.seedImages });
    let step = steps.next(), done = 0;
    for (; !step.done; step = steps.next()) yield ++done;
    const { pixels, provenance } = step.value, length = pixels.length / job.images.length;
    const nearest = plan.aligned ? nearestTraining(kernels, training, pixels) : [];
    return job.images.map((number, i) => ({
      number,
      group: job.group,
      pixels: pixels.slice(i * length, (i + 1) * length),
      nearest: nearest[i],
      contributors: contributors(provenance[i]).slice(0, TOP_CONTRIBUTORS),
      correction: Math.sqrt(provenance[i].correction.reduce((sum, value) => sum + value * value, 0) / length),
    }));
  } finally {
    model?.dispose();
    kernels.release(mark);
  }
}

/** How many iterations a job takes. */
export function iterationsOf(plan: Plan): number {
  return plan.layers.reduce((sum, layer) => sum + layer.iterations.length, 0);
}
