/** What all experiments of a reproduction share: the data, the plan, the training pyramids, and two ways to synthesize. */
import type { Kernels } from "../../core/kernels.ts";
import { priorParts } from "../../core/model.ts";
import { type Plan, plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { pad, seedImages, type TrainingPyramid, trainingPyramid } from "../../core/pyramid.ts";
import type { WorkDone } from "../../core/steps.ts";
import type { Draw } from "../../core/batch.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { chosenBy, knownClasses } from "../../datasets/groups.ts";
import type { Runner } from "../runner.ts";
import { fitParts } from "../synthesis/fit_parts.ts";
import { fitWork, imageWork } from "../synthesis/request_work.ts";
import { BATCH, type GroupImage, type SynthesisTask, synthesizeTasks } from "../synthesis/synthesis_tasks.ts";
import { synthesizeGroup, type TracedImage } from "../synthesis/synthesize_group.ts";

/** The class of an image; undefined if the profile does not separate classes. */
export type Label = number | undefined;

/** An image to synthesize from the seed image of a test image. */
export interface SeededImage {
  /** Keys the random choices of the image. */
  readonly number: number;
  /** Index of the test image. */
  readonly test: number;
  readonly label: Label;
}

/** Images synthesized together, with the results of every layer. */
export interface LayeredImages {
  readonly images: readonly TracedImage[];
  /** X after each layer, the coarsest first: images x `size` x `size` values, about [0, 1]. */
  readonly layers: readonly { readonly size: number; readonly images: Float32Array }[];
}

/** The state that experiments share. */
export interface Experiment {
  readonly plan: Plan;
  /** Widths of X_0 .. X_L in pixels: the sides of the square images that the figures of a reproduction draw. */
  readonly sides: readonly number[];
  readonly data: DataSet;
  /** The random seed. */
  readonly seed: number;
  readonly runner: Runner;
  readonly kernels: Kernels;
  /** The classes of the test images, ascending; [undefined] if the profile does not separate classes. */
  readonly labels: readonly Label[];
  /** Returns the training pyramid of a class, built once; undefined: of all classes together. */
  pyramid(label: Label): TrainingPyramid;
  /** Returns a test image, padded to the profile's size. */
  testImage(index: number): Uint8Array;
  /** Returns a training image, padded to the profile's size. */
  trainingImage(index: number): Uint8Array;
  /** Returns the seed images of test images, one after another, in [0, 1]. */
  seeds(indices: ArrayLike<number>): Float32Array;
  /** Synthesizes a few images in this thread. `numbers` key their random choices; there is one seed image for each. */
  synthesizeSeeds(
    label: Label,
    numbers: readonly number[],
    seeds: Float32Array,
    onDraw?: (draw: Draw) => void,
  ): LayeredImages;
  /**
   * Synthesizes images on all threads.
   *
   * @param finished takes images as they are finished, in any order
   * @param progress is called with the part of the work that is done, 0..1
   * @returns the milliseconds that fitting the prior in parts took beforehand
   */
  synthesizeTests(
    images: readonly SeededImage[],
    finished: (images: readonly GroupImage[]) => void | Promise<void>,
    progress: (done: number) => void,
  ): Promise<{ fit: number }>;
  /**
   * Estimates the work of `synthesizeTests`: of fitting the prior in parts, unless a fit was kept, and of the rest. Undefined for
   * third-party plugins, which run in tasks only.
   */
  workOf(images: readonly SeededImage[]): { readonly fit: WorkDone; readonly draws: WorkDone } | undefined;
  /** Returns an experiment on the same data and training pyramids under another profile of the same sizes. */
  under(profile: Profile): Experiment;
}

/**
 * Opens an experiment. The training pyramids stay in kernel memory.
 *
 * @throws {Error} if the data has no test images, or if the profile is wrong
 */
export async function openExperiment(
  runner: Runner,
  profile: Profile,
  data: DataSet,
  seed: number,
): Promise<Experiment> {
  if (data.test.images.count === 0) {
    throw new Error(`Cannot use ${data.name}: expected test images, got a pack's seed images only`);
  }
  const first = plan(profile, runner.plugins), { sizes } = first, sides = sizes.map(({ width }) => width);
  const { kernels } = await runner.kernels(), pyramids = new Map<Label, TrainingPyramid>(), { train, test } = data;
  const pyramid = (label: Label) => {
    const built = pyramids.get(label) ??
      trainingPyramid(kernels, train.images, sizes, chosenBy(train.labels, label, train.images.count));
    pyramids.set(label, built);
    return built;
  };
  const seeds = (indices: ArrayLike<number>) => seedImages(kernels, test.images, sizes, indices);
  const experiment = (planned: Plan): Experiment => ({
    plan: planned,
    sides,
    under: (profile) => experiment(plan(profile, runner.plugins)),
    data,
    seed,
    runner,
    kernels,
    labels: profile.classwise && train.labels && test.labels ? knownClasses(test.labels) : [undefined],
    pyramid,
    testImage: (index) => pad(test.images, index, sizes[0]),
    trainingImage: (index) => pad(train.images, index, sizes[0]),
    seeds,
    synthesizeSeeds(label, numbers, seeds, onDraw) {
      const model = { kernels, plan: planned, training: pyramid(label), seed, batch: numbers.length, onDraw };
      const steps = synthesizeGroup(model, { images: numbers, seedImages: seeds });
      const layers: { size: number; images: Float32Array }[] = [];
      let step = steps.next();
      for (; !step.done; step = steps.next()) {
        const { layer, width: size, images } = step.value;
        layers[planned.layers.length - 1 - layer] = { size, images: images.slice() };
      }
      return { images: step.value, layers };
    },
    workOf(images) {
      const used = planned.layers.flatMap((
        { prior, contexts },
      ) => [prior.plugin, ...contexts.map(({ plugin }) => plugin)]);
      if (used.some(({ from }) => from !== undefined)) return undefined;
      const inParts = priorParts(planned).some((parts) => parts);
      let fit = 0, draws = 0;
      for (const label of new Set(images.map((image) => image.label))) {
        const { hr: [hr], count } = pyramid(label), own = images.filter((image) => image.label === label).length;
        const fitted = fitWork(planned, hr, count, Math.min(own, BATCH));
        // What is not fitted in parts is fitted again for each task.
        if (inParts) fit += fitted;
        else draws += Math.ceil(own / BATCH) * fitted;
        draws += own * imageWork(planned, hr, count).whole;
      }
      return { fit, draws };
    },
    async synthesizeTests(images, finished, progress) {
      const labels = [...new Set(images.map(({ label }) => label))], trainings = labels.map(pyramid);
      const tasks = labels.flatMap((label, group) => {
        return tasksOf(images.filter((image) => image.label === label), group, seeds);
      });
      const unfitted = { kernels, plan: planned, trainings, seed, batch: BATCH }, started = runner.now();
      const { fit: fitting, draws } = this.workOf(images) ?? UNKNOWN, share = fitting / (fitting + draws);
      const work = await fitParts(runner, unfitted, (part) => progress(part * share));
      const fit = runner.now() - started, inParts = work !== unfitted;
      const done = work && await synthesizeTasks(runner, work, tasks, {
        finished,
        progress: (part) => progress(inParts ? share + (1 - share) * part : part),
      });
      if (!done) throw new Error("Stopped before all images were synthesized");
      return { fit };
    },
  });
  return experiment(first);
}

/** A fit in parts of unknown work counts as half of the progress. */
const UNKNOWN = { fit: 1, draws: 1 };

/** Splits the images of one group into tasks. */
function tasksOf(
  images: readonly SeededImage[],
  group: number,
  seeds: Experiment["seeds"],
): SynthesisTask[] {
  return Array.from({ length: Math.ceil(images.length / BATCH) }, (_, n) => {
    const part = images.slice(n * BATCH, (n + 1) * BATCH);
    return { group, images: part.map(({ number }) => number), seedImages: seeds(part.map(({ test }) => test)) };
  });
}
