/** Runs jobs in this process or spread over workers that share the planes. */
import type { Nearest } from "../../../core/nearest.ts";
import { lengthOf } from "../../../core/shape.ts";
import { type GroupImage, iterationsOf, type Job, runJob, type Work } from "./job.ts";
import { BUILTIN } from "../plugins/load_plugins.ts";
import { startWorker } from "./plugin_worker.ts";
import { received } from "./posted_error.ts";
import type { FromWorker, Result, Task, ToWorker } from "./synthesis_worker.ts";

/** What `runJobs` calls while it works. Throwing ends the work. */
export interface Watch {
  /** Part of all iterations that are done, 0..1. */
  progress(done: number): void;
  /** A job's images. Jobs of several threads end in any order. */
  finished(images: readonly GroupImage[]): Promise<void>;
  /** True once the work shall stop. */
  stopped(): boolean;
}

/** Runs jobs one after another in this process. */
export async function runJobs(work: Work, jobs: readonly Job[], watch: Watch): Promise<void> {
  const all = jobs.length * iterationsOf(work.plan);
  let before = 0;
  for (const job of jobs) {
    const steps = runJob(work, job);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      watch.progress(++before / all);
      await breathe();
      if (watch.stopped()) return void steps.return([]);
    }
    await watch.finished(step.value);
  }
}

/** Lets signals and timers in between two iterations. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Runs jobs on `threads` workers over the work's memory, which must be shared. Where one of them fails the others are
 * stopped, and its error is thrown once nothing runs any more.
 */
export async function runJobsOnThreads(
  work: Work,
  module: WebAssembly.Module,
  jobs: readonly Job[],
  threads: number,
  watch: Watch,
): Promise<void> {
  const all = jobs.length * iterationsOf(work.plan);
  let before = 0;
  await runOnThreads(work, module, jobs.map((job) => ({ job })), threads, {
    step: () => watch.progress(++before / all),
    stopped: watch.stopped,
    result: async (result, task) => {
      if (!("images" in result)) return;
      await watch.finished(work.plugins?.sandbox ? checkedAnswer(result.images, jobs[task], work) : result.images);
    },
  });
}

/** What `runOnThreads` calls while it works. */
interface TaskWatch {
  /** A worker has done an iteration. */
  step(): void;
  stopped(): boolean;
  result(result: Result, task: number): Promise<void> | void;
}

/** Hands tasks to workers in their order, each the next one when it is done with one. As `runJobsOnThreads`. */
export async function runOnThreads(
  work: Work,
  module: WebAssembly.Module,
  tasks: readonly Task[],
  threads: number,
  watch: TaskWatch,
): Promise<void> {
  const { kernels, plan, trainings, seed, batch, fitted, plugins = BUILTIN } = work;
  // Each worker allocates in a stretch of its own; pages that it never touches cost nothing.
  const first = kernels.mark(), room = Math.floor((4 * 2 ** 30 - first) / threads / 65536) * 65536;
  kernels.reserve(first + threads * room);
  let next = 0, failed = false;
  const stopped = () => failed || watch.stopped();
  const ends = await Promise.allSettled(Array.from({ length: threads }, async (_, thread) => {
    const worker = startWorker(new URL("./synthesis_worker.ts", import.meta.url), plugins);
    try {
      const tell = (message: ToWorker) => worker.postMessage(message);
      tell({
        setUp: {
          module,
          memory: kernels.memory,
          from: first + thread * room,
          to: first + (thread + 1) * room,
          profile: plan.profile,
          plugins: plugins.sources,
          trainings,
          seed,
          batch,
          fitted,
        },
      });
      while (next < tasks.length && !stopped()) {
        const task = next++;
        tell(tasks[task]);
        const result = await answer(worker, watch.step, stopped);
        if (result) await watch.result(result, task);
      }
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      worker.terminate();
    }
  }));
  const failure = ends.find((end) => end.status === "rejected");
  if (failure) throw failure.reason;
}

/** What a plugin in a sandbox could post in our worker's name must be what was asked for: files are named by it. */
function checkedAnswer(
  images: readonly GroupImage[],
  { images: numbers, group }: Job,
  work: Work,
): readonly GroupImage[] {
  const length = lengthOf({ ...work.plan.sizes[0], channels: work.plan.channels }), { count } = work.trainings[group];
  const isImage = (image: number) => Number.isInteger(image) && image >= 0 && image < count;
  const isNearest = ({ image, distance, trainingDistance }: Nearest) => {
    return isImage(image) && typeof distance === "number" && typeof trainingDistance === "number";
  };
  const fits = images?.length === numbers.length && images.every((image, i) => {
    const { number, pixels, nearest, contributors, correction } = image;
    return number === numbers[i] && image.group === group && pixels instanceof Uint8Array && pixels.length === length &&
      (work.plan.aligned ? nearest !== undefined && isNearest(nearest) : nearest === undefined) &&
      contributors.every(({ image, share }) => (image === -1 || isImage(image)) && typeof share === "number") &&
      typeof correction === "number";
  });
  if (fits) return images;
  throw new Error("A sandbox answered with other images than it was asked for: one of its plugins meddles with them");
}

/** Waits for a worker to finish its task; undefined where the work was stopped first. */
function answer(worker: Worker, step: () => void, stopped: () => boolean): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => stopped() && end(() => resolve(undefined)), 50);
    const end = (settle: () => void) => {
      clearInterval(timer);
      settle();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(() => reject(new Error(event.message)));
    };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ("step" in data) step();
      else if ("error" in data) end(() => reject(received(data.error)));
      else end(() => resolve(data));
    };
  });
}
