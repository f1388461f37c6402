/** Runs jobs in this process or spread over workers that share the planes. */
import { type Finished, iterationsOf, type Job, runJob, type Work } from "./job.ts";
import { received } from "./posted_error.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

/** What `runJobs` calls while it works. Throwing ends the work. */
export interface Watch {
  /** Part of all iterations that are done, 0..1. */
  progress(done: number): void;
  /** A job's images. Jobs of several threads end in any order. */
  finished(images: readonly Finished[]): Promise<void>;
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
function breathe(): Promise<void> {
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
  const { kernels, plan, trainings, seed, batch } = work;
  const all = jobs.length * iterationsOf(plan);
  // Each worker allocates in a stretch of its own; pages that it never touches cost nothing.
  const first = kernels.mark(), room = Math.floor((4 * 2 ** 30 - first) / threads / 65536) * 65536;
  kernels.reserve(first + threads * room);
  const waiting = [...jobs];
  let before = 0, failed = false;
  const stopped = () => failed || watch.stopped();
  const ends = await Promise.allSettled(Array.from({ length: threads }, async (_, thread) => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    try {
      const tell = (message: ToWorker) => worker.postMessage(message);
      tell({
        setUp: {
          module,
          memory: kernels.memory,
          from: first + thread * room,
          to: first + (thread + 1) * room,
          profile: plan.profile,
          trainings,
          seed,
          batch,
        },
      });
      for (let job = waiting.shift(); job && !stopped(); job = waiting.shift()) {
        tell({ job });
        const images = await answer(worker, () => watch.progress(++before / all), stopped);
        if (images) await watch.finished(images);
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

/** Waits for a worker to finish its job; undefined where the work was stopped first. */
function answer(
  worker: Worker,
  step: () => void,
  stopped: () => boolean,
): Promise<readonly Finished[] | undefined> {
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
      else end(() => resolve(data.images));
    };
  });
}
