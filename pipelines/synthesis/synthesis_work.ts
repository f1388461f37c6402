/** The data that all tasks of a synthesis share, on this thread and on others. */
import type { Kernels } from "../../core/kernels.ts";
import type { FittedParts } from "../../core/model.ts";
import { type Plan, plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import type { Thread } from "../runner.ts";
import type { Traced } from "./dependencies.ts";

/** A synthesis of one or more groups of images. */
export interface SynthesisWork {
  /** Kernels whose memory holds the training pyramids. */
  readonly kernels: Kernels;
  readonly plan: Plan;
  /** One for each group. */
  readonly trainings: readonly TrainingPyramid[];
  /** The random seed. */
  readonly seed: number;
  /** The most images of a task. */
  readonly batch: number;
  /** The prior's fit to each training pyramid, if it is fitted in parts and was fitted before: see `fitParts`. */
  readonly fitted?: readonly (FittedParts | undefined)[];
  /** The least log-likelihood of an image: see `SynthesisInput`. */
  readonly minLl?: number;
  /** What to trace of the training images behind each image; by default nothing. */
  readonly traced?: Traced;
}

/** The same work as plain data that can be posted to another thread. */
export interface SynthesisSetUp extends Omit<SynthesisWork, "kernels" | "plan"> {
  readonly profile: Profile;
}

/** Turns a work into plain data. */
export function setUpOf({ kernels: _, plan, ...rest }: SynthesisWork): SynthesisSetUp {
  return { profile: plan.profile, ...rest };
}

/** Turns plain data into a work again, with the kernels and plugins of a thread. */
export function workOf({ kernels, plugins }: Thread, { profile, ...rest }: SynthesisSetUp): SynthesisWork {
  return { kernels, plan: plan(profile, plugins), ...rest };
}
