/** What all experiments of a reproduction share: the data, the plan, the training pyramids, and two ways to synthesize. */
import type { Kernels } from "../../core/kernels.ts";
import { priorParts } from "../../core/model.ts";
import { type Plan, plan, planSizes } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { pad, seedImages, type TrainingPyramid, trainingPyramid } from "../../core/pyramid.ts";
import { finish } from "../../core/steps.ts";
import type { Draw } from "../../core/batch.ts";
import type { DataSet } from "../../datasets/data_set.ts";
import { chosenBy, knownClasses } from "../../datasets/groups.ts";
import type { Runner } from "../run/runner.ts";
import { fitWork, imageWork } from "../run/cost.ts";
import { BATCH, type JobGroup } from "../run/job.ts";
import { run } from "../run/run.ts";
import { runHere } from "../run/run_task.ts";
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
  workOf(images: readonly SeededImage[]): { readonly fit: number; readonly draws: number } | undefined;
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
  const planned = plan(profile, runner.plugins), sizes = planSizes(profile), { kernels } = await runner.kernels();
  const pyramids = new Map<Label, TrainingPyramid>(), { train, test } = data;
  const open: OpenData = {
    runner,
    kernels,
    seed,
    pyramid(label) {
      const chosen = chosenBy(train.labels, label, train.images.count);
      const pyramid = pyramids.get(label) ?? finish(trainingPyramid(kernels, train.images, sizes, chosen));
      pyramids.set(label, pyramid);
      return pyramid;
    },
    seeds: (indices) => seedImages(kernels, test.images, sizes, indices),
  };
  const experiment = (plan: Plan): Experiment => ({
    ...open,
    plan,
    sides: sizes.map(({ width }) => width),
    under: (profile) => experiment(planOf(profile)),
    data,
    labels: profile.classwise && train.labels && test.labels ? knownClasses(test.labels) : [undefined],
    testImage: (index) => pad(test.images, index, sizes[0]),
    trainingImage: (index) => pad(train.images, index, sizes[0]),
    synthesizeSeeds: (label, numbers, seeds, onDraw) => synthesizeSeeds(open, plan, { label, numbers, seeds, onDraw }),
    workOf: (images) => workOf(open, plan, images),
    synthesizeTests: (images, finished, progress) => synthesizeTests(open, plan, images, finished, progress),
  });
  const planOf = (profile: Profile) => plan(profile, runner.plugins);
  return experiment(planned);
}

/** What the experiments on one data set share. */
type OpenData = Pick<Experiment, "runner" | "kernels" | "seed" | "pyramid" | "seeds">;

/** A few images of a class to synthesize in this thread. */
interface Seeded {
  readonly label: Label;
  readonly numbers: readonly number[];
  readonly seeds: Float32Array;
  readonly onDraw?: (draw: Draw) => void;
}

/** Synthesizes a few images, and keeps the images of every layer. */
function synthesizeSeeds(
  { kernels, seed, pyramid }: OpenData,
  plan: Plan,
  { label, numbers, seeds: seedImages, onDraw }: Seeded,
): LayeredImages {
  const job = { plan, seed, batch: numbers.length, groups: [{ training: pyramid(label), numbers, seedImages }] };
  const images: TracedImage[] = [], layers: { size: number; images: Float32Array }[] = [];
  for (const event of runHere(kernels, job, onDraw)) {
    if (event.type === "image") images.push(event.image);
    if (event.type !== "iteration") continue;
    layers[plan.layers.length - 1 - event.layer] = { size: event.width, images: event.images.slice() };
  }
  return { images, layers };
}

/** Estimates the work of `synthesizeTests`. */
function workOf({ pyramid }: OpenData, plan: Plan, images: readonly SeededImage[]): ReturnType<Experiment["workOf"]> {
  const used = plan.layers.flatMap(({ prior, contexts }) => [prior.plugin, ...contexts.map(({ plugin }) => plugin)]);
  if (used.some(({ from }) => from !== undefined)) return undefined;
  const inParts = priorParts(plan).some((parts) => parts);
  let fit = 0, draws = 0;
  for (const label of new Set(images.map((image) => image.label))) {
    const { hr: [hr], count } = pyramid(label), ofClass = images.filter((image) => image.label === label).length;
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
  finished: (images: readonly GroupImage[]) => void | Promise<void>,
  progress: (done: number) => void,
): Promise<{ fit: number }> {
  const { runner, kernels, seed, pyramid, seeds } = open, begin = runner.now();
  const groups = [...new Set(images.map(({ label }) => label))].map((label): JobGroup => {
    const ofClass = images.filter((image) => image.label === label);
    // Images from noise take no part of the test images but their numbers.
    const seedImages = plan.noise ? undefined : seeds(ofClass.map(({ test }) => test));
    return { training: pyramid(label), numbers: ofClass.map(({ number }) => number), seedImages };
  });
  const { fit, draws } = workOf(open, plan, images) ?? UNKNOWN;
  const share = priorParts(plan).some((parts) => parts) ? fit / (fit + draws) : 0;
  let fitted = begin, done = 0;
  for await (const event of run({ plan, seed, batch: BATCH, groups }, runner, { kernels })) {
    if (event.type === "fitted") fitted = runner.now();
    if (event.type === "progress") {
      progress(event.phase === "fit" ? event.done * share : share + (1 - share) * event.done);
    }
    if (event.type !== "image") continue;
    await finished([event.image]);
    done++;
  }
  if (done < images.length) throw new Error("Stopped before all images were synthesized");
  return { fit: fitted - begin };
}

/** A fit in parts of unknown work counts as half of the progress. */
const UNKNOWN = { fit: 1, draws: 1 };
