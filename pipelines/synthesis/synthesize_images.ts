/** Synthesizes any number of images from a data set: what `synth` does, on every host that can read one. */
import type { Plan } from "../../core/plan.ts";
import { crop, range, type TrainingPyramid } from "../../core/pyramid.ts";
import { lengthOf, sameShape, type Shape, type Size } from "../../core/shape.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { type ClassGroup, groupImages, groupsInTurn } from "../../datasets/groups.ts";
import type { Runner } from "../runner.ts";
import { classPyramid } from "./class_pyramid.ts";
import { dependsOnAll, type Traced } from "./dependencies.ts";
import { fitParts } from "./fit_parts.ts";
import { type SeedMaker, seedMaker, type SeedsOfGroups, type SeedSource } from "./seed_images.ts";
import { batchSize, type GroupImage, type SynthesisTask, synthesizeTasks } from "./synthesis_tasks.ts";
import type { SynthesisWork } from "./synthesis_work.ts";
import { seedShape } from "./take_seed_images.ts";

/** Images to synthesize. */
export interface SynthesisInput {
  readonly plan: Plan;
  /** Size of the images: the plan's, or a smaller one to which they are cropped. */
  readonly size: Size;
  readonly data: DataSet;
  /** The classes to synthesize in turn; [undefined] where classes do not count. */
  readonly classes: readonly (number | undefined)[];
  /** How many images. */
  readonly count: number;
  /** The random seed. */
  readonly seed: number;
  readonly seedSource: SeedSource;
  /**
   * The least log-likelihood of an image, in nats: one below it is drawn again, `MAX_TRIES` times at most, and the best is
   * kept. -Infinity measures the likelihood and draws every image once. By default it is not measured.
   */
  readonly minLl?: number;
  /** Whether to find out which training images are behind each image: `SynthesizedImage.lineage`. */
  readonly dependencies?: boolean;
}

/** A synthesis that can begin: training pyramids and seed images are in memory. */
export interface PreparedSynthesis extends Omit<SeedsOfGroups, "seeds"> {
  readonly input: SynthesisInput;
  readonly groups: readonly ClassGroup[];
  readonly work: SynthesisWork;
  readonly tasks: readonly SynthesisTask[];
  /** The SHA-256 of the kernels, in hexadecimal. */
  readonly kernels: string;
}

/** The finished images, and how long they took. */
export interface SynthesizedImages {
  /** All images in the order of their numbers; if the runner was stopped, those that were finished. */
  readonly done: readonly GroupImage[];
  /** Wall-clock milliseconds. */
  readonly times: { readonly fit: number; readonly synthesis: number };
}

/**
 * Builds the training pyramids and the seed images.
 *
 * @throws {Error} as `SeedMaker`
 */
export async function prepareSynthesis(runner: Runner, input: SynthesisInput): Promise<PreparedSynthesis> {
  const { plan, data, classes, count, seed, seedSource: source, minLl } = input,
    groups = groupImages(range(count), classes);
  const batch = batchSize(Math.max(...groups.map(({ images }) => images.length)), runner.threads);
  const { kernels, sha256 } = await runner.kernels();
  const trainings = groups.map(({ label }) => classPyramid(kernels, plan, data.train, label));
  const { seeds, ...rest } = seedMaker(kernels, plan, data, { source, seed, classes: classes.length })(groups);
  const tasks = tasksOf(groups, seeds, batch, lengthOf(seedShape(plan)));
  return {
    input,
    groups,
    work: { kernels, plan, trainings, seed, batch, minLl, traced: tracedBy(input, trainings) },
    tasks,
    kernels: sha256,
    ...rest,
  };
}

/** Splits each group's images into tasks of `batch` images. A seed image has `values` values. */
function tasksOf(
  groups: readonly ClassGroup[],
  seeds: readonly Float32Array[],
  batch: number,
  values: number,
): SynthesisTask[] {
  return groups.flatMap(({ images }, group) =>
    Array.from({ length: Math.ceil(images.length / batch) }, (_, n) => ({
      group,
      images: images.slice(n * batch, (n + 1) * batch),
      seedImages: seeds[group].slice(n * batch * values, (n + 1) * batch * values),
    }))
  );
}

/**
 * Fits the prior and synthesizes, with progress. If the runner is stopped, the images finished so far are returned.
 *
 * @param finished takes the images of each task; tasks of several threads end in any order
 */
export async function synthesizeImages(
  runner: Runner,
  { input, work: unfitted, tasks }: PreparedSynthesis,
  finished: (images: readonly GroupImage[], shape: Required<Shape>) => void | Promise<void>,
): Promise<SynthesizedImages> {
  const started = runner.now(), fitting = runner.progress("Fitting the prior");
  const work = await fitParts(runner, unfitted, fitting.update).finally(fitting.end);

  const fitted = runner.now(), bar = runner.progress("Synthesizing"), done: GroupImage[] = [];
  const { plan, size } = input, shape = { ...size, channels: plan.channels };
  const take = async (images: readonly GroupImage[]) => {
    const cropped = images.map((image) => croppedTo(plan, size, image));
    done.push(...cropped);
    await finished(cropped, shape);
  };
  if (work) await synthesizeTasks(runner, work, tasks, { progress: bar.update, finished: take }).finally(bar.end);
  done.sort((a, b) => a.number - b.number);
  return { done, times: { fit: fitted - started, synthesis: runner.now() - fitted } };
}

/** The same synthesis of some of the images only. */
export function onlyImages(prepared: PreparedSynthesis, isWanted: (number: number) => boolean): PreparedSynthesis {
  const tasks = prepared.tasks.map((task): SynthesisTask => {
    const { images, seedImages } = task, values = seedImages.length / images.length;
    const wanted = [...images.keys()].filter((i) => isWanted(images[i])),
      seeds = new Float32Array(wanted.length * values);
    wanted.forEach((from, to) => seeds.set(seedImages.subarray(from * values, (from + 1) * values), to * values));
    return { ...task, images: wanted.map((i) => images[i]), seedImages: seeds };
  });
  return { ...prepared, tasks: tasks.filter(({ images }) => images.length > 0) };
}

/** What threads trace: only sources if every image depends on all training images of its class. */
function tracedBy(input: SynthesisInput, trainings: readonly TrainingPyramid[]): Traced | undefined {
  const { dependencies = false, data: { train } } = input;
  if (!dependencies) return undefined;
  const isFree = trainings.every(({ count }) => dependsOnAll(input, train.images, count) === undefined);
  return isFree ? "dependencies" : "sources";
}

/** Crops an image of the plan's size. */
function croppedTo({ sizes: [whole], channels }: Plan, size: Size, image: GroupImage): GroupImage {
  if (sameShape(whole, size)) return image;
  return { ...image, pixels: crop({ count: 1, ...whole, channels, pixels: image.pixels }, size).pixels };
}

/** A synthesis that images of any numbers can be made with: the training pyramids of all classes are in memory, the prior is fitted. */
export interface OpenSynthesis {
  readonly input: SynthesisInput;
  readonly work: SynthesisWork;
  readonly seedsOf: SeedMaker;
  /** The SHA-256 of the kernels, in hexadecimal. */
  readonly kernels: string;
}

/**
 * Opens a synthesis of which `synthesizeNumbers` makes some images after another.
 *
 * @param together how many images each call makes at most
 * @returns undefined if the runner was stopped
 */
export async function openSynthesis(
  runner: Runner,
  input: SynthesisInput,
  together: number,
): Promise<OpenSynthesis | undefined> {
  const { plan, data, classes, seed, seedSource: source, minLl } = input;
  const batch = batchSize(Math.ceil(together / classes.length), runner.threads);
  const { kernels, sha256 } = await runner.kernels();
  const trainings = classes.map((label) => classPyramid(kernels, plan, data.train, label));
  const fitting = runner.progress("Fitting the prior"), traced = tracedBy(input, trainings);
  const unfitted = { kernels, plan, trainings, seed, batch, minLl, traced };
  const work = await fitParts(runner, unfitted, fitting.update).finally(fitting.end);
  const seedsOf = seedMaker(kernels, plan, data, { source, seed, classes: classes.length });
  return work && { input, work, seedsOf, kernels: sha256 };
}

/**
 * Makes the images of some numbers. They are those that `synthesizeImages` makes.
 *
 * @param progress takes the part that is done, 0..1
 * @returns them in the order of their numbers; undefined if the runner was stopped
 */
export async function synthesizeNumbers(
  runner: Runner,
  { input, work, seedsOf }: OpenSynthesis,
  numbers: readonly number[],
  progress: (done: number) => void,
): Promise<GroupImage[] | undefined> {
  const { plan, classes } = input, groups = groupsInTurn(numbers, classes), { seeds } = seedsOf(groups);
  const tasks = tasksOf(groups, seeds, work.batch, lengthOf(seedShape(plan))), done: GroupImage[] = [];
  const isWhole = await synthesizeTasks(runner, work, tasks, {
    progress,
    finished: (images) => void done.push(...images.map((image) => croppedTo(plan, input.size, image))),
  });
  return isWhole ? done.sort((a, b) => a.number - b.number) : undefined;
}
