/** What all experiments of a reproduction share: the data, the plan, the training pyramids, and two ways to synthesize. */
import type { Kernels } from "../../core/kernels.ts";
import { priorParts } from "../../core/model.ts";
import { type Plan, plan, planSizes } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { pad, seedImages } from "../../core/pyramid.ts";
import type { Size } from "../../core/shape.ts";
import { finish } from "../../core/steps.ts";
import type { Draw } from "../../core/batch.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { knownClasses } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { fitWork, imageWork } from "../run/cost.ts";
import { BATCH, type JobGroup } from "../run/job.ts";
import { run } from "../run/run.ts";
import { runHere } from "../run/run_task.ts";
import { fitsThirdParty } from "../run/third_party.ts";
import { type TrainingGroup, trainingGroup } from "../run/training_pyramids.ts";
import { morphTraining } from "../synthesis/morph_training.ts";
import type { GroupImage, TracedImage } from "../run/synthesized_image.ts";

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
interface LayeredImages {
  readonly images: readonly TracedImage[];
  /** X after each layer, the coarsest first: images x `size` x `size` values, about [0, 1]. */
  readonly layers: readonly { readonly size: number; readonly images: Float32Array }[];
}

/** How long images took. */
interface SynthesisTime {
  /** Milliseconds by the clock. */
  readonly milliseconds: number;
  /** Milliseconds of processor time, of all threads; undefined where the host does not know. */
  readonly processor?: number;
}

/** The state that experiments share. */
export interface Experiment {
  readonly plan: Plan;
  /** Widths of X_0 .. X_L in pixels: the sides of the square images that the figures of a reproduction draw. */
  readonly sides: readonly number[];
  /** The data as it was read: metrics compare with its training images. */
  readonly data: DataSet;
  /** The data that is learned from: the same, or with the morphs that the plan asks for. */
  readonly learned: DataSet;
  /** The random seed. */
  readonly seed: number;
  readonly runner: Runner;
  readonly kernels: Kernels;
  /** The classes of the test images, ascending; [undefined] if the profile does not separate classes. */
  readonly labels: readonly Label[];
  /** Returns a test image, padded to the profile's size. */
  testImage(index: number): Uint8Array;
  /** Returns a training image that is learned from, padded to the profile's size. */
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
   * @param finished takes each image as it is finished, in any order
   * @param progress is called with the part of the work that is done, 0..1
   * @returns how long it took without the fit of a prior in parts, which is made beforehand for all images
   */
  synthesizeTests(
    images: readonly SeededImage[],
    finished: (image: GroupImage) => void | Promise<void>,
    progress: (done: number) => void,
  ): Promise<SynthesisTime>;
  /**
   * Estimates the work of `synthesizeTests`: of fitting the prior in parts, unless a fit was kept, and of the rest. Undefined for
   * third-party plugins, which run in tasks only.
   */
  workOf(images: readonly SeededImage[]): { readonly fit: number; readonly draws: number } | undefined;
  /**
   * Returns an experiment on the same data under another profile of the same sizes. Profiles with the same morphs share training
   * pyramids.
   */
  under(profile: Profile): Promise<Experiment>;
}

/**
 * Opens an experiment. The training pyramids stay in kernel memory.
 *
 * @throws {Error} if the data has no test images, if the profile is wrong, and as `morphTraining`
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
  const sizes = planSizes(profile), { kernels } = await runner.kernels();
  const { train, test } = data, learnedBy = new Map<string, Promise<LearnedData>>();
  const learnedFor = (plan: Plan): Promise<LearnedData> => {
    const key = `${plan.morph} ${plan.morphOf}`;
    const learned = learnedBy.get(key) ?? morphTraining(runner, data, plan).then((learned) => {
      return { learned, ...trainingGroups(kernels, sizes, learned) };
    });
    learnedBy.set(key, learned);
    return learned;
  };
  const experiment = async (profile: Profile): Promise<Experiment> => {
    const planned = plan(profile, runner.plugins), { learned, groupOf } = await learnedFor(planned);
    const open: OpenData = {
      runner,
      kernels,
      seed,
      group: (label) => groupOf(planned, label),
      seeds: (indices) => seedImages(kernels, test.images, sizes, indices),
    };
    return {
      ...open,
      plan: planned,
      sides: sizes.map(({ width }) => width),
      under: experiment,
      data,
      learned,
      labels: planned.profile.classwise && train.labels && test.labels ? knownClasses(test.labels) : [undefined],
      testImage: (index) => pad(test.images, index, sizes[0]),
      trainingImage: (index) => pad(learned.train.images, index, sizes[0]),
      synthesizeSeeds: (label, numbers, seeds, onDraw) => {
        return synthesizeSeeds(open, planned, { label, numbers, seeds, onDraw });
      },
      workOf: (images) => workOf(open, planned, images),
      synthesizeTests: (images, finished, progress) => synthesizeTests(open, planned, images, finished, progress),
    };
  };
  return await experiment(profile);
}

/** Training images that some profiles learn from, and what makes groups of them. */
interface LearnedData extends ReturnType<typeof trainingGroups> {
  readonly learned: DataSet;
}

/**
 * Returns what makes the group of training images of a class, once for each class; undefined: of all classes together. A group has all
 * sizes, because images from noise need some of them.
 */
function trainingGroups(kernels: Kernels, sizes: readonly Size[], learned: DataSet) {
  const groups = new Map<Label, TrainingGroup>();
  return {
    groupOf(plan: Plan, label: Label): TrainingGroup {
      const group = groups.get(label) ?? finish(trainingGroup(kernels, { ...plan, sizes }, learned, label));
      groups.set(label, group);
      return group;
    },
  };
}

/** What the experiments on one data set share. */
interface OpenData extends Pick<Experiment, "runner" | "kernels" | "seed" | "seeds"> {
  group(label: Label): TrainingGroup;
}

/** A few images of a class to synthesize in this thread. */
interface Seeded {
  readonly label: Label;
  readonly numbers: readonly number[];
  readonly seeds: Float32Array;
  readonly onDraw?: (draw: Draw) => void;
}

/** Synthesizes a few images, and keeps the images of every layer. */
function synthesizeSeeds(
  { kernels, seed, group }: OpenData,
  plan: Plan,
  { label, numbers, seeds: seedImages, onDraw }: Seeded,
): LayeredImages {
  const job = { plan, seed, batch: numbers.length, groups: [{ ...group(label), numbers, seedImages }] };
  const images: TracedImage[] = [], layers: { size: number; images: Float32Array }[] = [];
  for (const event of runHere(kernels, job, onDraw)) {
    if (event.type === "image") images.push(event.image);
    if (event.type !== "iteration") continue;
    layers[plan.layers.length - 1 - event.layer] = { size: event.width, images: event.images.slice() };
  }
  return { images, layers };
}

/** Estimates the work of `synthesizeTests`. */
function workOf({ group }: OpenData, plan: Plan, images: readonly SeededImage[]): ReturnType<Experiment["workOf"]> {
  if (fitsThirdParty(plan)) return undefined;
  const inParts = priorParts(plan).some((parts) => parts);
  let fit = 0, draws = 0;
  for (const label of new Set(images.map((image) => image.label))) {
    const { training: { hr: [hr], count } } = group(label),
      ofClass = images.filter((image) => image.label === label).length;
    const fitted = fitWork(plan, hr, count, Math.min(ofClass, BATCH));
    // What is not fitted in parts is fitted again for each task.
    if (inParts) fit += fitted;
    else draws += Math.ceil(ofClass / BATCH) * fitted;
    draws += ofClass * imageWork(plan, hr, count).whole;
  }
  return { fit, draws };
}

/** Synthesizes images of all classes on all threads. */
async function synthesizeTests(
  open: OpenData,
  plan: Plan,
  images: readonly SeededImage[],
  finished: (image: GroupImage) => void | Promise<void>,
  progress: (done: number) => void,
): Promise<SynthesisTime> {
  const { runner, kernels, seed, group, seeds } = open;
  const groups = [...new Set(images.map(({ label }) => label))].map((label): JobGroup => {
    const ofClass = images.filter((image) => image.label === label);
    // Images from noise take no part of the test images but their numbers.
    const seedImages = plan.noise ? undefined : seeds(ofClass.map(({ test }) => test));
    return { ...group(label), numbers: ofClass.map(({ number }) => number), seedImages };
  });
  const { fit, draws } = workOf(open, plan, images) ?? UNKNOWN;
  const share = priorParts(plan).some((parts) => parts) ? fit / (fit + draws) : 0;
  const clocks = () => ({ milliseconds: runner.now(), processor: runner.processorTime?.() });
  let begun = clocks(), done = 0;
  for await (const event of run({ plan, seed, batch: BATCH, groups }, runner, kernels)) {
    if (event.type === "fitted") begun = clocks();
    if (event.type === "progress") {
      progress(event.phase === "fit" ? event.done * share : share + (1 - share) * event.done);
    }
    if (event.type !== "image") continue;
    await finished(event.image);
    done++;
  }
  if (done < images.length) throw new Error("Stopped before all images were synthesized");
  const ended = clocks(), { processor } = ended;
  return {
    milliseconds: ended.milliseconds - begun.milliseconds,
    ...processor !== undefined && { processor: processor - begun.processor! },
  };
}

/** A fit in parts of unknown work counts as half of the progress. */
const UNKNOWN = { fit: 1, draws: 1 };
