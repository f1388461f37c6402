/** All that the experiments of a reproduction share: the data, the plan, the training pyramids, and ways to synthesize. */
import type { Kernels } from "../../../core/kernels.ts";
import { fitModel, type Model } from "../../../core/model.ts";
import { type Plan, plan, squareSides } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { pad, seedImages, type TrainingPyramid, trainingPyramid } from "../../../core/pyramid.ts";
import { type Draw, synthesize, type SynthesizedBatch } from "../../../core/synthesize.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import { fitParts } from "../../../pipelines/synthesis/fit_parts.ts";
import {
  BATCH,
  type GroupImage,
  type SynthesisTask,
  synthesizeTasks,
} from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { BUILTIN, type Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

/** The class of an image; undefined where classes do not count. */
export type Label = number | undefined;

/** Images of one seed, or of several, made together with what happened on the way. */
export interface LayeredBatch extends SynthesizedBatch {
  /** X after each layer, the coarsest first: images x size^2 values. */
  readonly layers: readonly { readonly size: number; readonly images: Float32Array }[];
}

/** What experiments are made of. */
export interface Experiment {
  readonly plan: Plan;
  /** Sides of X_0 .. X_L. */
  readonly sides: readonly number[];
  readonly data: DataSet;
  readonly seed: number;
  readonly threads: number;
  readonly kernels: Kernels;
  /** The classes that test images have; [undefined] where classes do not count. */
  readonly labels: readonly Label[];
  /** The training pyramid of a class, built once; undefined: of all classes together. */
  pyramid(label: Label): TrainingPyramid;
  /** A test or training image, padded to the profile's size. */
  testImage(index: number): Uint8Array;
  trainingImage(index: number): Uint8Array;
  /** The seed images of test images. */
  seeds(indices: ArrayLike<number>): Float32Array;
  /** Synthesizes a few images in this thread; `numbers` key their random choices. */
  synthesizeSeeds(
    label: Label,
    numbers: readonly number[],
    seeds: Float32Array,
    onDraw?: (draw: Draw) => void,
  ): LayeredBatch;
  /**
   * Synthesizes one image for each test image named, on all threads; image i has number i. Returns the milliseconds that the
   * prior's fit took beforehand, where it is fitted in parts.
   */
  synthesizeTests(
    tests: readonly { readonly number: number; readonly test: number; readonly label: Label }[],
    finished: (images: readonly GroupImage[]) => Promise<void>,
    progress: (done: number) => void,
  ): Promise<{ fit: number }>;
  /** The same data and training pyramids under another profile of the same sizes. */
  under(profile: Profile): Experiment;
}

/** Opens the world of a profile. */
export async function openExperiment(
  profile: Profile,
  data: DataSet,
  seed: number,
  threads: number,
  plugins: Plugins = BUILTIN,
): Promise<Experiment> {
  if (data.test.images.count === 0) {
    throw new Error(`Cannot use ${data.name}: expected test images, found a pack's seed images only`);
  }
  const first = plan(profile, plugins.registry), { sizes } = first, sides = squareSides(first);
  const runner = denoRunner({ threads, plugins }), { kernels } = await runner.kernels();
  const pyramids = new Map<Label, TrainingPyramid>(), { train, test } = data;
  const classwise = profile.classwise && train.labels && test.labels;
  const pyramid = (label: Label) => {
    const built = pyramids.get(label) ??
      trainingPyramid(kernels, train.images, sizes, chosenBy(train.labels, label, train.images.count));
    pyramids.set(label, built);
    return built;
  };
  const world = (planned: Plan): Experiment => ({
    plan: planned,
    sides,
    under: (profile) => world(plan(profile, plugins.registry)),
    data,
    seed,
    threads,
    kernels,
    labels: classwise ? [...new Set(test.labels)].sort((a, b) => a - b) : [undefined],
    pyramid,
    testImage: (index) => pad(test.images, index, sizes[0]),
    trainingImage: (index) => pad(train.images, index, sizes[0]),
    seeds: (indices) => seedImages(kernels, test.images, sizes, indices),
    synthesizeSeeds(label, numbers, seeds, onDraw) {
      const training = pyramid(label), mark = kernels.mark();
      let model: Model | undefined;
      try {
        model = fitModel(kernels, planned, training, numbers.length);
        const steps = synthesize(model, { seed, images: numbers, seedImages: seeds, onDraw });
        const layers: { size: number; images: Float32Array }[] = [];
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          const { layer, width: size, images } = step.value;
          layers[planned.layers.length - 1 - layer] = { size, images: images.slice() };
        }
        return { ...step.value, layers };
      } finally {
        model?.dispose();
        kernels.release(mark);
      }
    },
    async synthesizeTests(tests, finished, progress) {
      const labels = [...new Set(tests.map(({ label }) => label))], trainings = labels.map(pyramid);
      const jobs = labels.flatMap((label, group): SynthesisTask[] => {
        const own = tests.filter((one) => one.label === label);
        return Array.from({ length: Math.ceil(own.length / BATCH) }, (_, n) => {
          const part = own.slice(n * BATCH, (n + 1) * BATCH);
          const seeds = seedImages(kernels, test.images, sizes, part.map((one) => one.test));
          return { group, images: part.map(({ number }) => number), seedImages: seeds };
        });
      });
      const unfitted = { kernels, plan: planned, trainings, seed, batch: BATCH }, started = runner.now();
      // Where there is something to fit it is half of the progress.
      const work = (await fitParts(runner, unfitted, (part) => progress(part / 2)))!;
      const fit = runner.now() - started, inParts = work !== unfitted;
      await synthesizeTasks(runner, work, jobs, {
        finished,
        progress: (part) => progress(inParts ? (1 + part) / 2 : part),
      });
      return { fit };
    },
  });
  return world(first);
}
