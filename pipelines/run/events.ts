/** What happens in a run: tagged events, from which the caller collects what it needs. */
import type { Progress } from "../../core/steps.ts";
import type { BatchPixel } from "../../core/denoiser.ts";
import type { DiffusionStep } from "../../core/diffuse.ts";
import type { IterationResult } from "../../core/batch.ts";
import type { Job } from "./job.ts";
import type { GroupImage } from "./synthesized_image.ts";

/** The priors of all groups are fitted. */
export interface FittedEvent {
  readonly type: "fitted";
  /** The job with its fits: run again, also with other images, it begins at once. */
  readonly job: Job;
}

/** An iteration of Algorithm 1 on a batch of images. */
export interface IterationEvent extends IterationResult {
  /** The group of the images. */
  readonly group: number;
  /** The numbers of the batch's images, in the order of `images`. */
  readonly numbers: readonly number[];
}

/** A step of a diffusion on a batch of images. */
export interface StepEvent extends DiffusionStep {
  /** The group of the images. */
  readonly group: number;
  /** The numbers of the batch's images, in the order of `denoised`. */
  readonly numbers: readonly number[];
  /** Which attempt each of them is. */
  readonly attempts: readonly number[];
  /**
   * Returns how much each training image counts in a pixel of `denoised` (`FittedDenoiser.weights`); undefined where the denoiser
   * has none. Call it before the next event.
   */
  weights(pixel: BatchPixel): Float64Array | undefined;
}

/** Images from noise are chosen, or images are quilted: the layers that follow, if any, begin with them. */
export interface SeedsEvent {
  /** Tells it from other events. */
  readonly type: "seeds";
  /** The group of the images. */
  readonly group: number;
  /** The numbers of the batch's images. */
  readonly numbers: readonly number[];
  /** Which of the attempts that were made each of them is. */
  readonly attempts: readonly number[];
  /** l of these images. */
  readonly layer: number;
  /** Rows of these images. */
  readonly height: number;
  /** Columns of these images. */
  readonly width: number;
  /** numbers x channels x height x width values in [0, 1]. */
  readonly seedImages: Float32Array;
}

/** An image is finished. */
interface ImageEvent<Image extends GroupImage = GroupImage> {
  readonly type: "image";
  readonly image: Image;
}

/** A part of the work is done. */
export interface ProgressEvent {
  readonly type: "progress";
  /** What is done: fits come before all images. */
  readonly phase: "fit" | "images";
  /** The part of the phase that is done, 0..1. */
  readonly done: number;
}

/** The work that a task is expected to take still: see `WorkCounter`. */
export interface ForecastEvent {
  readonly type: "forecast";
  readonly rest: number;
}

/** What `run` yields. Images come in any order. */
export type Event = FittedEvent | ImageEvent | ProgressEvent;

/**
 * What a task yields in the thread that runs it: iterations, too, whose images are views of kernel memory, and `Progress` where it
 * may pause.
 */
export type DrawEvent<Image extends GroupImage = GroupImage> =
  | IterationEvent
  | StepEvent
  | SeedsEvent
  | ImageEvent<Image>
  | ForecastEvent
  | Progress;
