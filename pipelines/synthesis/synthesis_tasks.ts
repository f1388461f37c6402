/** Synthesis as a program of threads: a task is a batch of images of one group. Its bytes do not depend on the thread. */
import type { Nearest } from "../../core/nearest.ts";
import { lengthOf } from "../../core/shape.ts";
import type { WorkDone } from "../../core/steps.ts";
import type { Program, Runner } from "../runner.ts";
import { fitWork, imageWork } from "./request_work.ts";
import { type GroupImages, synthesizeGroupInSteps } from "./synthesize_group.ts";
import type { SynthesizedImage } from "./synthesized_image.ts";
import { setUpOf, type SynthesisSetUp, type SynthesisWork, workOf } from "./synthesis_work.ts";

/** The most images of a task: enough to share the cost of a search (bench/README.md), few enough for progress to move. */
export const BATCH = 64;

/** Returns the number of images of a task, so that all threads have equally many tasks. `images` is the size of the largest group. */
export function batchSize(images: number, threads: number): number {
  const rounds = Math.ceil(images / (threads * BATCH));
  return Math.ceil(images / (threads * rounds));
}

/** Images to synthesize together from one training pyramid; at most the work's `batch`. */
export interface SynthesisTask extends GroupImages {
  /** Which of the work's groups. */
  readonly group: number;
}

/** A finished image of one of the groups. */
export interface GroupImage extends SynthesizedImage {
  readonly group: number;
}

/** The callbacks of `synthesizeTasks`. An error that one of them throws ends the work. */
export interface SynthesisWatch {
  /** Takes the part of the work that is done, 0..1. */
  progress(done: number): void;
  /** Takes a task's images. Tasks of several threads end in any order. */
  finished(images: readonly GroupImage[]): void | Promise<void>;
}

/** Runs tasks. Returns whether all were finished; false if the runner was stopped. */
export function synthesizeTasks(
  runner: Runner,
  work: SynthesisWork,
  tasks: readonly SynthesisTask[],
  { progress, finished }: SynthesisWatch,
): Promise<boolean> {
  const { plan, trainings } = work;
  // Where plugins run in workers only, their work is unknown here: an image is then compared with all training images.
  const ofImage = trainings.map(({ hr: [hr], count }) => runner.isolated ? count : imageWork(plan, hr, count).whole);
  const weights = tasks.map(({ group, images }) => images.length * (ofImage[group] ?? 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0), parts = new Float64Array(tasks.length);
  const report = (task: number, part: number) => {
    parts[task] = part;
    progress(parts.reduce((sum, part, task) => sum + part * weights[task], 0) / all);
  };
  return runner.run(synthesisProgram, { setUp: setUpOf(work), tasks, kernels: work.kernels }, {
    // A third-party plugin could forge the part.
    step: (part, task) => part >= 0 && report(task, Math.min(parts[task] + part, 1)),
    result(images, task) {
      if (runner.isolated) checkImages(images, tasks[task], work);
      report(task, 1);
      return finished(images);
    },
  });
}

/**
 * Work of a step, in comparisons: 1 to 60 ms, since priors make 0.5 to 22 x 10^9 a second (the search of a large batch is the
 * fastest). Hosts whose pauses take long pause after a time, not after every step.
 */
const STEP = 2 ** 25;

/** Runs `SynthesisTask`s. */
export const synthesisProgram: Program<SynthesisSetUp, SynthesisTask, GroupImage[]> = {
  name: "synthesis",
  prepare(thread, setUp) {
    const work = workOf(thread, setUp), { trainings, fitted } = work;
    return function* ({ group, ...images }) {
      const training = trainings[group], { hr: [hr], count } = training, { plan } = work;
      const fit = fitted?.[group] ? 0 : fitWork(plan, hr, count, work.batch);
      let rest = fit + images.images.length * imageWork(plan, hr, count).whole, done = 0, since = 0, shown = 0;
      const onForecast = (expected: WorkDone) => rest = expected;
      const steps = synthesizeGroupInSteps({ ...work, training, fitted: fitted?.[group], onForecast }, images);
      try {
        let step = steps.next();
        for (; !step.done; step = steps.next()) {
          // What a step of a third-party prior does may be any number.
          const own = typeof step.value === "number" && step.value > 0 && step.value < Infinity ? step.value : 0;
          done += own;
          since += own;
          rest = Math.max(rest - own, 0);
          if (typeof step.value === "number" && since < STEP) continue;
          // Where more is left than was expected, the part that is done stays as it is for a while.
          const part = Math.max(done / (done + rest) || 0, shown);
          yield part - shown;
          shown = part;
          since = 0;
        }
        return step.value.map(({ provenance: _, ...image }) => ({ ...image, group }));
      } finally {
        steps.return([]);
      }
    };
  },
};

/**
 * Checks images of a thread with third-party plugins: a plugin there could forge the result of a task. Files are named by the
 * numbers of images.
 *
 * @throws {Error} if they are not the images of the task
 */
function checkImages(
  images: readonly GroupImage[],
  task: SynthesisTask,
  { plan, trainings, minLl, traced }: SynthesisWork,
): void {
  const { sizes: [size], channels, aligned } = plan, { count } = trainings[task.group];
  const length = lengthOf({ ...size, channels });
  const isImage = (image: number) => Number.isInteger(image) && image >= 0 && image < count;
  const isBits = (bits: unknown) => bits instanceof Uint8Array && bits.length === Math.ceil(count / 8);
  const isNearest = ({ image, distance, trainingDistance }: Nearest) => {
    return isImage(image) && typeof distance === "number" && typeof trainingDistance === "number";
  };
  const fits = images?.length === task.images.length && images.every((image, i) => {
    const { number, group, pixels, nearest, contributors, correction, tries, ll, lineage } = image;
    return number === task.images[i] && group === task.group && pixels instanceof Uint8Array &&
      pixels.length === length && (aligned ? nearest !== undefined && isNearest(nearest) : nearest === undefined) &&
      contributors.every(({ image, share }) => (image === -1 || isImage(image)) && typeof share === "number") &&
      typeof correction === "number" && (tries === undefined || typeof tries === "number") &&
      (ll === undefined ? minLl === undefined : typeof ll === "number") &&
      (traced ? isBits(lineage?.dependsOn) && isBits(lineage?.drawnFrom) : lineage === undefined);
  });
  if (fits) return;
  throw new Error(
    "Cannot use what a worker with third-party plugins made: expected the images of its task, got other ones",
  );
}
