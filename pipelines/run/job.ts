/** A job: images to synthesize, in groups that share training images. It is a value; `run.ts` does it on threads, `run_task.ts` here. */
import type { Kernels } from "../../core/kernels.ts";
import type { FittedParts } from "../../core/model.ts";
import { numbersFrom } from "../../core/numbers.ts";
import { type Plan, plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import type { TrainingPyramid } from "../../core/pyramid.ts";
import type { Registry } from "../../core/registry.ts";
import type { Observations, Rows } from "../../core/types.ts";
import type { NoiseChoice } from "./noise/choice.ts";
import type { LearnedNoise } from "./noise/learned.ts";
import type { Runner } from "./runner.ts";
import type { Traced } from "./trace.ts";

/** Images to synthesize. */
export interface Job {
  readonly plan: Plan;
  /** The random seed. */
  readonly seed: number;
  readonly groups: readonly JobGroup[];
  /** The most images that are drawn together. */
  readonly batch: number;
  /** The least log-likelihood of an image: see `SynthesisInput`. */
  readonly minLl?: number;
  /** Whether to return the sources of quilted images: `SynthesizedImage.sources`. */
  readonly hasSources?: boolean;
  /** What to trace of the training images behind each image; by default nothing. */
  readonly traced?: Traced;
  /** Where threads share the tries of the last images. */
  readonly board?: TryBoard;
}

/** A job, what does it, and the kernels whose memory holds its training images. */
export interface OpenJob {
  readonly job: Job;
  readonly runner: Runner;
  readonly kernels: Kernels;
}

/** A board on which threads share the tries of some images, as plain data that can be posted: see `tryBoard`. */
export interface TryBoard {
  /** The group of the images. */
  readonly group: number;
  /** The numbers of the images. */
  readonly numbers: readonly number[];
  /** The most tries of an image that are shared, the first ones. */
  readonly tries: number;
  /** Bytes of an image from noise. */
  readonly length: number;
  readonly shared: SharedArrayBuffer;
}

/** Images that are synthesized from the same training images. */
export interface JobGroup extends GroupImages {
  /** The training images: addresses in the memory of the kernels that the job is run with. */
  readonly training: TrainingPyramid;
  /** The real images among them, if structure is limited and some are morphs: structure is compared with real images. */
  readonly real?: TrainingPyramid;
  /** How many of them come from each image: its mirrored or deformed copies follow after all images; 1 where it is left out. */
  readonly copies?: number;
  /** For each of them the numbers of the real images behind it, if some are morphs; left out: each is a real image. */
  readonly origins?: readonly (readonly number[])[];
  /** The prior's fit to them, if it is fitted in parts and was fitted before. */
  readonly fitted?: FittedParts;
  /** How images are made of them from noise, if that was chosen before. */
  readonly noise?: NoiseChoice;
  /** What images from noise are held against, if it was learned before: see `learnNoise`. */
  readonly learned?: LearnedNoise;
  /** The structure of the training images of each layer, l = 0 first, where it limits structure: see `withStructures`. */
  readonly structures?: readonly (Rows | undefined)[];
}

/** Images by their numbers, and what they begin with. */
interface GroupImages {
  readonly numbers: readonly number[];
  /** A seed image for each: channels x height x width values in [0, 1]. Left out where they are made in the run: `plan.noise`, `plan.quiltLayer`. */
  readonly seedImages?: Float32Array;
  /** The observations of each layer, l = 0 first: see `Batch`. */
  readonly observed?: readonly Observations[];
}

/** A part of a job: images of one group. Its bytes do not depend on the thread that does it. */
export interface Task extends GroupImages {
  /** The number of the group. */
  readonly group: number;
  /** Whether it has no images of its own, but helps with the tries of those on the job's board. */
  readonly helps?: boolean;
}

/** Images that are drawn together: enough to share the cost of a search (bench/README.md), few enough for progress to move. */
export const BATCH = 64;

/**
 * How many tasks each thread has at least where images are made again: nobody knows before how often. Fewer where threads help each other
 * at the end, as layers of more images at once take less time: of 4 at once 3 % less of a run than of 2.
 */
export const UNEVEN_ROUNDS = 4, HELPED_ROUNDS = 2;

/**
 * Returns the number of images of a batch, so that all threads have equally many tasks. `images` is the size of the largest group.
 *
 * @param least how many tasks each thread has at least, if there are several
 */
export function batchSize(images: number, threads: number, least = 1): number {
  const rounds = Math.max(Math.ceil(images / (threads * BATCH)), threads > 1 ? least : 1);
  return Math.ceil(images / (threads * rounds));
}

/**
 * Splits a job into tasks.
 *
 * @param most The most images of a task: those of a batch by default.
 */
export function tasksOf({ groups, batch }: Pick<Job, "groups" | "batch">, most: number = batch): Task[] {
  return groups.flatMap((images, group) => {
    const tasks = Math.ceil(images.numbers.length / most);
    return Array.from({ length: tasks }, (_, n) => ({
      group,
      ...imagesAt(images, numbersFrom(n * most, Math.min((n + 1) * most, images.numbers.length))),
    }));
  });
}

/** Takes the images at some places among those of a group. */
export function imagesAt({ numbers, seedImages, observed }: GroupImages, places: readonly number[]): GroupImages {
  const taken = (values: Float32Array) => {
    const length = values.length / numbers.length, out = new Float32Array(places.length * length);
    places.forEach((place, n) => out.set(values.subarray(place * length, (place + 1) * length), n * length));
    return out;
  };
  return {
    numbers: places.map((place) => numbers[place]),
    ...seedImages && { seedImages: taken(seedImages) },
    ...observed && {
      observed: observed.map(({ values, weights }) => ({ values: taken(values), weights: taken(weights) })),
    },
  };
}

/** What all tasks of a job share, as plain data that can be posted to another thread. */
export interface PostedJob extends Omit<Job, "plan" | "groups"> {
  readonly profile: Profile;
  readonly groups: readonly Omit<JobGroup, keyof GroupImages>[];
}

/** Turns a job into plain data, without its images: tasks bring these. */
export function posted({ plan: { profile }, groups, ...rest }: Job): PostedJob {
  return { profile, groups: groups.map(({ numbers: _, seedImages: __, observed: ___, ...group }) => group), ...rest };
}

/** Turns plain data into a job again, with the plugins of a thread. */
export function received({ profile, groups, ...rest }: PostedJob, plugins: Registry): Job {
  const images = { numbers: [], seedImages: new Float32Array() };
  return { plan: plan(profile, plugins), groups: groups.map((group) => ({ ...group, ...images })), ...rest };
}
