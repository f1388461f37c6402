/** Runs tasks on a number of workers; each worker answers one task at a time. */
import type { RunWatch } from "../../../pipelines/runner.ts";
import type { WorkerThread } from "./worker_thread.ts";

/** How tasks are run. */
export interface Pool<T, R> {
  readonly threads: number;
  readonly tasks: readonly T[];
  /** Starts worker number `worker`, of 0 .. `workers` - 1. */
  start(worker: number, workers: number): WorkerThread<T, R>;
  /** Whether to stop; by default never. */
  readonly stopped?: () => boolean;
}

/** Milliseconds between two checks of whether to stop. They are needed because a plugin that never ends posts nothing. */
const LOOK = 50;
/** Milliseconds that running tasks may still take when one has failed, so that nearly finished work is not lost. */
const GRACE = 1000;

/**
 * Hands out tasks in their order: a worker gets the next one when it has answered. If a task fails, no more are handed out; its
 * error is thrown when the running ones have ended, for which they have a second.
 *
 * @returns whether all tasks were finished; false if they were stopped
 */
export async function runPool<T, R>(
  { threads, tasks, start, stopped = () => false }: Pool<T, R>,
  watch: RunWatch<R>,
): Promise<boolean> {
  const workers = Math.min(threads, tasks.length);
  let next = 0, finished = 0, failedAt = Infinity;
  const isLate = () => stopped() || performance.now() - failedAt > GRACE;
  const ends = await Promise.allSettled(Array.from({ length: workers }, async (_, number) => {
    const thread = start(number, workers);
    try {
      while (next < tasks.length && failedAt === Infinity && !stopped()) {
        const task = next++;
        const running = thread.run(tasks[task], (part) => watch.step?.(part, task));
        const answered = await unless(isLate, running.then((result) => ({ result })));
        if (!answered) break;
        await watch.result(answered.result, task);
        finished++;
      }
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    } finally {
      thread.terminate();
    }
  }));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return finished === tasks.length;
}

/** Waits for a promise. Resolves to undefined if `isLate` says so first. */
function unless<T>(isLate: () => boolean, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => isLate() && end(() => resolve(undefined)), LOOK);
    const end = (settle: () => void) => {
      clearInterval(timer);
      settle();
    };
    promise.then((value) => end(() => resolve(value)), (error) => end(() => reject(error)));
  });
}
