/** A worker that does one task at a time, seen from the thread that started it. */
import { said } from "../../../core/plugin_error.ts";
import { denied, type PostedError, received } from "./posted_error.ts";

/**
 * The first and only message to a worker itself. Tasks and answers go through the port. What plugins post with `self.postMessage`
 * goes nowhere. But a plugin that replaces what events are delivered by gets the port, and can post anything to it: each
 * message is checked by `readAnswer`, and must be one that was asked for. What is in a result, its reader checks.
 */
export interface Greeting<S> {
  readonly port: MessagePort;
  readonly setUp: S;
  /** Whether the worker loads plugins. An answer then waits for errors that belong to no task. */
  readonly thirdParty: boolean;
}

/** The messages to a worker through the port: a task, or another set-up for the tasks that follow. */
export type Order<S, T> = { readonly task: T } | { readonly setUp: S };

/**
 * The messages of a worker: now and then the part of a task that was done since the last one, then the result or the error;
 * `late`, the message of an error that belongs to no task; `ended` before a plugin ends the worker.
 */
export type Answer<R> =
  | { readonly step: number }
  | { readonly result: R }
  | { readonly error: PostedError }
  | { readonly late: string }
  | { readonly ended: true };

/**
 * Milliseconds of work between two messages about it: a step may take less than its message, and where threads take all processors,
 * the thread that reads it interrupts one of them.
 */
export const PACE = 100;

/** Steps of a task that may come faster. Where more come, the thread that reads them could not even handle signals. */
const EARLY = 10;

/** A worker that does tasks. */
export interface WorkerThread<T, R> {
  /**
   * Does one task.
   *
   * @param step is called now and then with the part of the task that was done since the last call
   * @throws {Error} the task's own; or one sentence if the worker ended, or failed outside of the task
   */
  run(task: T, step: (part: number) => void): Promise<R>;
  /** Gives the worker another set-up for the tasks that follow. */
  prepare(setUp: unknown): void;
  /** Ends the worker. A task that it does is never answered. */
  terminate(): void;
}

/** A task that a worker does. */
interface Waiting<R> extends Pick<PromiseWithResolvers<R>, "promise" | "resolve" | "reject"> {
  readonly step: (part: number) => void;
  /** When it began. */
  readonly since: number;
  /** How many steps of it were posted. */
  steps: number;
}

/**
 * Makes a thread of a worker that runs `answerTasks`.
 *
 * @param plugins names the plugins that the worker loads, for sentences about it
 */
export function workerThread<T, R>(worker: Worker, setUp: unknown, plugins: readonly string[]): WorkerThread<T, R> {
  const names = plugins.join(", ");
  const who = ["A worker", `The plugin ${names}`][plugins.length] ?? `One of the plugins ${names}`;
  const { port1: port, port2 } = new MessageChannel();
  let waiting: Waiting<R> | undefined, failed: Error | undefined;
  const taken = () => {
    const answered = waiting;
    waiting = undefined;
    return answered;
  };
  const fail = (sentence: string) => {
    if (failed) return;
    failed = new Error(sentence);
    taken()?.reject(failed);
    worker.terminate(); // a plugin could go on to post
  };
  const ended = () => fail(`${who} ended its worker, which only Patchloom may do`);
  const late = (message: string) => fail(`${who} failed outside of its calls: ${said(denied(message))}`);
  const forged = () => fail(`${who} posted a message in Patchloom's place`);

  worker.onerror = (event) => {
    event.preventDefault(); // otherwise it ends this process
    late(event.message.replace(/^Uncaught (\(in promise\) )?/, ""));
    port.close(); // an error has ended the worker
  };
  worker.onmessage = forged;
  port.onmessageerror = () => fail(`${who} gave an answer that cannot be read`);
  port.addEventListener("close", ended);
  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const answer = readAnswer<R>(data);
    if (answer === undefined) return forged();
    if ("late" in answer) return late(answer.late);
    if ("ended" in answer) return ended();
    if (!waiting) return forged();
    if ("error" in answer) return taken()?.reject(named(answer.error, plugins));
    if ("result" in answer) return taken()?.resolve(answer.result);
    if (++waiting.steps > (performance.now() - waiting.since) / PACE + EARLY) return forged();
    try {
      waiting.step(answer.step);
    } catch (error) {
      taken()?.reject(error);
    }
  };
  greet(worker, { port: port2, setUp, thirdParty: plugins.length > 0 }, port);

  return {
    run(task, step) {
      if (failed) return Promise.reject(failed);
      waiting = { ...Promise.withResolvers<R>(), step, since: performance.now(), steps: 0 };
      port.postMessage({ task } satisfies Order<unknown, T>);
      return waiting.promise;
    },
    prepare: (setUp) => port.postMessage({ setUp } satisfies Order<unknown, T>),
    terminate() {
      worker.terminate();
      // A port that is closed delivers what is left first, which has no end while a plugin posts. It closes with its worker, too.
      if (!failed) port.close();
    },
  };
}

/** Posts the first message to a worker; if the set-up cannot be posted, ends the worker. */
function greet(worker: Worker, greeting: Greeting<unknown>, port: MessagePort): void {
  try {
    worker.postMessage(greeting, [greeting.port]);
  } catch (error) {
    worker.terminate();
    for (const one of [port, greeting.port]) one.close();
    throw error;
  }
}

/** Reads a message of a worker; undefined if it is none of `Answer`. */
function readAnswer<R>(data: unknown): Exclude<Answer<R>, { error: unknown }> | { readonly error: Error } | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  if ("step" in data) {
    const { step } = data;
    return typeof step === "number" && step >= 0 && step <= Number.MAX_VALUE ? { step } : undefined;
  }
  if ("late" in data) return typeof data.late === "string" ? { late: data.late } : undefined;
  if ("ended" in data) return { ended: true };
  if (!("error" in data)) return "result" in data ? { result: data.result as R } : undefined;
  const error = received(data.error);
  return error && { error };
}

/** Names the plugins that share a worker with code that failed: they could have changed the objects that all code there uses. */
function named(error: Error, plugins: readonly string[]): Error {
  if (plugins.length === 0 || plugins.some((name) => error.message.includes(name))) return error;
  const beside = `in a worker with the plugin${plugins.length > 1 ? "s" : ""} ${plugins.join(", ")}`;
  return new Error(`${said(error)} (${beside})`, { cause: error });
}
