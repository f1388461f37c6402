/** Runs tasks on a number of workers; each worker answers one task at a time. */
import type { TaskEvent } from "../../../pipelines/run/runner.ts";
import type { WorkerThread } from "./worker_thread.ts";

/** How tasks are run. */
export interface Pool<T, R> {
  readonly threads: number;
  readonly tasks: readonly T[];
  /** Starts worker number `worker`, of 0 .. `workers` - 1. */
  start(worker: number, workers: number): WorkerThread<T, R>;
  /** Takes a worker that has answered all of its tasks; by default it ends. */
  keep?(thread: WorkerThread<T, R>): void;
  /** Aborts when the tasks should stop; by default they never do. */
  readonly signal?: AbortSignal;
}

/** Milliseconds that running tasks may still take when one has failed, so that nearly finished work is not lost. */
const GRACE = 1000;

/**
 * Hands out tasks in their order: a worker does the next one while the reader deals with its result, and no further one before. If a task fails, no more are
 * handed out; its error is thrown when the running ones have ended, for which they have a second. If the signal aborts, or the reader
 * leaves, the workers end at once.
 */
export async function* runPool<T, R>(
  { threads, tasks, start, keep, signal }: Pool<T, R>,
): AsyncGenerator<TaskEvent<R>> {
  const workers = Math.min(threads, tasks.length), events = openChannel<TaskEvent<R>>();
  const late = new AbortController(), stop = () => late.abort();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  let next = 0, grace: ReturnType<typeof setTimeout> | undefined;
  const work = async (number: number) => {
    const thread = start(number, workers);
    let isIdle = true, read: Promise<unknown> = Promise.resolve();
    try {
      while (next < tasks.length && grace === undefined && !late.signal.aborted) {
        const task = next++;
        isIdle = false;
        const running = thread.run(tasks[task], (part) => void events.send({ type: "progress", part, task }));
        const answer = await unless(late.signal, running.then((result) => ({ result })));
        isIdle = answer !== undefined;
        await read;
        if (answer) read = unless(late.signal, events.send({ type: "result", ...answer, task }));
      }
      await read;
    } catch (error) {
      grace ??= setTimeout(stop, GRACE);
      throw error;
    } finally {
      if (isIdle && keep) keep(thread);
      else thread.terminate();
    }
  };
  const all = Promise.allSettled(Array.from({ length: workers }, (_, number) => work(number))).finally(events.end);
  try {
    yield* events;
  } finally {
    stop();
    clearTimeout(grace);
    signal?.removeEventListener("abort", stop);
  }
  for (const end of await all) if (end.status === "rejected") throw end.reason;
}

/** Waits for a promise. Resolves to undefined if the signal aborts first. */
function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      signal.removeEventListener("abort", stop);
      settle();
    };
    const stop = () => end(() => resolve(undefined));
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    promise.then((value) => end(() => resolve(value)), (error) => end(() => reject(error)));
  });
}

/** Carries events from several senders to one reader, which reads it by `for await`. */
interface Channel<Event> extends AsyncIterable<Event> {
  /** Sends an event. Resolves when the reader has dealt with it. */
  send(event: Event): Promise<void>;
  /** Ends the channel: the reader gets what was sent before. */
  end(): void;
}

/** Opens a channel. */
function openChannel<Event>(): Channel<Event> {
  const sent: { readonly event: Event; readonly taken: () => void }[] = [];
  let wake = () => {}, hasEnded = false;
  return {
    send: (event) =>
      new Promise((taken) => {
        sent.push({ event, taken });
        wake();
      }),
    end() {
      hasEnded = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      while (true) {
        const next = sent.shift();
        if (next) {
          yield next.event;
          next.taken();
        } else if (hasEnded) return;
        else await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}
