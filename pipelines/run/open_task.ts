/** A task that is being done. */
import type { Kernels } from "../../core/kernels.ts";
import type { Model } from "../../core/model.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import type { Progress } from "../../core/steps.ts";
import type { Batch } from "../../core/batch.ts";
import type { ForecastEvent, IterationEvent, StepEvent } from "./events.ts";
import type { NoiseSource } from "./from_noise.ts";
import type { Job, Task } from "./job.ts";
import type { DependencyTrace } from "./trace.ts";

/** The state of a task. */
export interface OpenTask extends Task {
  readonly kernels: Kernels;
  readonly job: Job;
  readonly model: Model;
  readonly training: TrainingPyramid;
  /** What makes the seed images, where they come from noise. */
  readonly source?: NoiseSource;
  /** The training images behind each image, if the job asks for them. */
  readonly trace?: DependencyTrace;
  readonly onDraw?: Batch["onDraw"];
}

/** An image to draw: its place among the task's images, and which of its attempts. */
export interface Attempt {
  readonly place: number;
  readonly attempt: number;
}

/** What is yielded while images of a batch are made. */
export type BatchSteps<Result> = Generator<IterationEvent | StepEvent | ForecastEvent | Progress, Result>;
