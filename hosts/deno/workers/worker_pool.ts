/** Runs tasks on a number of workers; each worker answers one task at a time. */

import { type PostedError, received } from "./posted_error.ts";

/** What a worker of a pool posts: news while it works, then its result or what went wrong. */
export type Answer<R> = { readonly news: unknown } | { readonly result: R } | { readonly error: PostedError };

/**
 * Hands tasks to workers of a module, or to those that are started for it, in their order; calls `each` with every result as it comes. Where one fails the others are not
 * given more, and its error is thrown once nothing runs any more.
 */
export async function runPool<T, R>(
  module: string | URL | (() => Worker),
  threads: number,
  tasks: readonly T[],
  each: (result: R, task: T) => void | Promise<void>,
): Promise<void> {
  const waiting = [...tasks];
  const ends = await Promise.allSettled(Array.from({ length: Math.min(threads, tasks.length) }, async () => {
    const worker = typeof module === "function" ? module() : new Worker(module, { type: "module" });
    try {
      for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
        worker.postMessage(task);
        await each(await answer<R>(worker), task);
      }
    } catch (error) {
      waiting.length = 0;
      throw error;
    } finally {
      worker.terminate();
    }
  }));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function answer<R>(worker: Worker): Promise<R> {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.onmessage = ({ data }: MessageEvent<Answer<R>>) => {
      if ("error" in data) reject(received(data.error));
      else if ("result" in data) resolve(data.result);
    };
  });
}
