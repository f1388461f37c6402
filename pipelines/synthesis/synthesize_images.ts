/** Synthesizes any number of images from a data set: what `synth` does, on every host that can read one. */
import type { Plan } from "../../core/plan.ts";
import { crop, range } from "../../core/pyramid.ts";
import { lengthOf, sameShape, type Shape, type Size } from "../../core/shape.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { type ClassGroup, groupImages } from "../../datasets/groups.ts";
import type { Runner } from "../runner.ts";
import { classPyramid } from "./class_pyramid.ts";
import { fitParts } from "./fit_parts.ts";
import { type SeedsOfGroups, seedsOfGroups, type SeedSource } from "./seed_images.ts";
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
 * @throws {Error} as `seedsOfGroups`
 */
export async function prepareSynthesis(runner: Runner, input: SynthesisInput): Promise<PreparedSynthesis> {
  const { plan, data, classes, count, seed, seedSource: source } = input,
    groups = groupImages(range(count), classes);
  const batch = batchSize(Math.max(...groups.map(({ images }) => images.length)), runner.threads);
  const { kernels, sha256 } = await runner.kernels();
  const trainings = groups.map(({ label }) => classPyramid(kernels, plan, data.train, label));
  const { seeds, ...rest } = seedsOfGroups(kernels, plan, data, { source, seed, groups, classes: classes.length });
  const tasks = tasksOf(groups, seeds, batch, lengthOf(seedShape(plan)));
  return {
    input,
    groups,
    work: { kernels, plan, trainings, seed, batch },
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
  { input: { plan, size }, work: unfitted, tasks }: PreparedSynthesis,
  finished: (images: readonly GroupImage[], shape: Required<Shape>) => void | Promise<void>,
): Promise<SynthesizedImages> {
  const started = runner.now(), fitting = runner.progress("Fitting the prior");
  const work = await fitParts(runner, unfitted, fitting.update).finally(fitting.end);

  const fitted = runner.now(), bar = runner.progress("Synthesizing"), done: GroupImage[] = [];
  const shape = { ...size, channels: plan.channels }, whole = { ...plan.sizes[0], channels: plan.channels };
  const take = async (images: readonly GroupImage[]) => {
    const cropped = sameShape(whole, shape) ? images : images.map((image) => {
      return { ...image, pixels: crop({ count: 1, ...whole, pixels: image.pixels }, size).pixels };
    });
    done.push(...cropped);
    await finished(cropped, shape);
  };
  if (work) await synthesizeTasks(runner, work, tasks, { progress: bar.update, finished: take }).finally(bar.end);
  done.sort((a, b) => a.number - b.number);
  return { done, times: { fit: fitted - started, synthesis: runner.now() - fitted } };
}
