/** Runs tasks on a number of workers; each worker answers one task at a time. */
import type { RunWatch } from "../../../pipelines/runner.ts";
import { type PostedError, received } from "./posted_error.ts";

/** What a worker of a pool posts: steps while it works, then its result or what went wrong. */
export type Answer<R> = { readonly step: true } | { readonly result: R } | { readonly error: PostedError };

/** How tasks are run. */
export interface Pool<T> {
  readonly threads: number;
  readonly tasks: readonly T[];
  /** Starts worker number `worker`, of 0 .. `workers` - 1. */
  start(worker: number, workers: number): Worker;
  /** Never by default. */
  readonly stopped?: () => boolean;
}

/** Milliseconds between two looks at whether to stop: a plugin that spins posts nothing. */
const LOOK = 50;
/** Milliseconds that running tasks may still take when one has failed: what is nearly finished is not lost. */
const GRACE = 1000;

/**
 * Hands tasks to workers in their order, each the next one when it has answered. Where one fails no more are handed out, and its
 * error is thrown once nothing runs any more: other tasks have a second to end.
 *
 * @returns whether all tasks were finished; false where they were stopped
 */
export async function runPool<T, R>(
  { threads, tasks, start, stopped = () => false }: Pool<T>,
  watch: RunWatch<R>,
): Promise<boolean> {
  const workers = Math.min(threads, tasks.length);
  let next = 0, finished = 0, failedAt = Infinity;
  const isLate = () => stopped() || performance.now() - failedAt > GRACE;
  const ends = await Promise.allSettled(Array.from({ length: workers }, async (_, number) => {
    const worker = start(number, workers);
    try {
      while (next < tasks.length && failedAt === Infinity && !stopped()) {
        const task = next++;
        worker.postMessage(tasks[task]);
        const answered = await answer<R>(worker, () => watch.step?.(), isLate);
        if (!answered) break;
        await watch.result(answered.result, task);
        finished++;
      }
    } catch (error) {
      failedAt = Math.min(failedAt, performance.now());
      throw error;
    } finally {
      worker.terminate();
    }
  }));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return finished === tasks.length;
}

/** Waits for a worker to finish its task; undefined where it is too late for that. */
function answer<R>(worker: Worker, step: () => void, isLate: () => boolean): Promise<{ result: R } | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => isLate() && end(() => resolve(undefined)), LOOK);
    const end = (settle: () => void) => {
      clearInterval(timer);
      settle();
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(() => reject(new Error(event.message)));
    };
    worker.onmessage = ({ data }: MessageEvent<Answer<R>>) => {
      try {
        if ("step" in data) step();
        else if ("error" in data) end(() => reject(received(data.error)));
        else if ("result" in data) end(() => resolve(data));
      } catch (error) {
        end(() => reject(error));
      }
    };
  });
}
