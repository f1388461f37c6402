/** A task that is being done. */
import type { CoarseBatch } from "../../core/coarse_batch.ts";
import type { DiffusionModel } from "../../core/diffuse.ts";
import type { Kernels } from "../../core/kernels.ts";
import type { Model } from "../../core/model.ts";
import type { PlanNoise } from "../../core/plan.ts";
import type { Provenance } from "../../core/provenance.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import type { Progress } from "../../core/steps.ts";
import type { Batch } from "../../core/batch.ts";
import type { Rows } from "../../core/types.ts";
import type { ForecastEvent, IterationEvent, SeedsEvent, StepEvent } from "./events.ts";
import type { Job, Task } from "./job.ts";
import type { NoiseGate } from "./noise/gate.ts";
import type { LikelihoodGate } from "./noise/likelihood.ts";
import type { DependencyTrace } from "./trace.ts";
import type { OpenBoard } from "./try_board.ts";
import type { WorkingColours } from "./noise/white_balance.ts";

/** The state of a task. */
export interface OpenTask extends Task {
  readonly kernels: Kernels;
  readonly job: Job;
  readonly model: Model;
  readonly training: TrainingPyramid;
  /** What makes the seed images, where they come from noise. */
  readonly source?: NoiseSource;
  /** The structure of the training images of each layer that limits it, l = 0 first. */
  readonly structures: readonly (Rows | undefined)[];
  /** The training images behind each image, if the job asks for them. */
  readonly trace?: DependencyTrace;
  readonly onDraw?: Batch["onDraw"];
  /**
   * By place and attempt, images that keep the limits of their coarser layers: the finer ones go on from them. Left out where somebody
   * watches the layers of an image.
   */
  readonly coarse?: Map<string, CoarseImage>;
  /** Where threads share the tries of the last images, if they do. */
  readonly board?: OpenBoard;
}

/** An image of a batch whose coarser layers are done. */
interface CoarseImage {
  readonly of: CoarseBatch;
  readonly image: number;
}

/** The name of an attempt among those of a task. */
export function attemptKey({ place, attempt }: Attempt): string {
  return `${place} ${attempt}`;
}

/** An image to draw: its place among the task's images, and which of its attempts. */
export interface Attempt {
  readonly place: number;
  readonly attempt: number;
}

/** What is yielded while images of a batch are made. */
export type BatchSteps<Result> = Generator<IterationEvent | StepEvent | SeedsEvent | ForecastEvent | Progress, Result>;

/** An image that was made from noise, or quilted. */
export interface NoiseImage {
  /** channels x height x width bytes. */
  readonly pixels: Uint8Array;
  /** The same in the colours that it was made in, if it was made from noise. */
  readonly asMade?: Uint8Array;
  /** Finds which training image counts most in each pixel, when asked: images that are made again, or that layers follow, need none. */
  readonly provenance: () => Provenance;
  /** The training images that it depends on; undefined: on all. */
  readonly compared?: ReadonlySet<number>;
}

/** A denoiser that is fitted to the training images of a group, and the images that it made for the batch that is being drawn. */
export interface NoiseSource {
  readonly model: DiffusionModel;
  readonly noise: PlanNoise;
  readonly training: Rows;
  /** The colours that the model is fitted to. */
  readonly colours: WorkingColours;
  /** What its images are held against. */
  readonly gate: NoiseGate;
  /** How likely its images must be behind the next layer, where that is limited. */
  readonly likelihood?: LikelihoodGate;
  /** By place and attempt. */
  readonly images: Map<string, NoiseImage>;
}
