/** A worker that does one task at a time, seen from the thread that started it. */
import { said } from "../../../core/plugin_error.ts";
import { denied, type PostedError, received } from "./posted_error.ts";

/**
 * The first and only message to a worker itself. Tasks and answers go through the port, which plugins in the worker cannot
 * reach: what they post with `self.postMessage` goes nowhere.
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

/**
 * Makes a thread of a worker that runs `answerTasks`.
 *
 * @param plugins names the plugins that the worker loads, for sentences about it
 */
export function workerThread<T, R>(worker: Worker, setUp: unknown, plugins: readonly string[]): WorkerThread<T, R> {
  const names = plugins.join(", ");
  const who = ["A worker", `The plugin ${names}`][plugins.length] ?? `One of the plugins ${names}`;
  type Ended = { readonly result: R } | { readonly error: Error };
  const { port1: port, port2 } = new MessageChannel();
  let waiting: { readonly step: (part: number) => void; readonly end: (answer: Ended) => void } | undefined;
  let failed: Error | undefined;
  const end = (answer: Ended) => {
    const answered = waiting;
    waiting = undefined;
    answered?.end(answer);
  };
  const fail = (sentence: string) => end({ error: failed ??= new Error(sentence) });

  const ended = () => fail(`${who} ended its worker, which only Patchloom may do`);
  const late = (message: string) => fail(`${who} failed outside of its calls: ${said(denied(message))}`);

  worker.onerror = (event) => {
    event.preventDefault(); // otherwise it ends this process
    late(event.message.replace(/^Uncaught (\(in promise\) )?/, ""));
  };
  worker.onmessage = () => fail(`${who} posted a message in Patchloom's place`);
  port.onmessageerror = () => fail(`${who} gave an answer that cannot be read`);
  port.addEventListener("close", ended);
  port.onmessage = ({ data }: MessageEvent<Answer<R>>) => {
    try {
      if ("step" in data) waiting?.step(data.step);
      else if ("late" in data) late(data.late);
      else if ("ended" in data) ended();
      else end("error" in data ? { error: named(received(data.error), plugins) } : data);
    } catch (error) {
      end({ error: error as Error }); // thrown by `step`
    }
  };
  try {
    worker.postMessage({ port: port2, setUp, thirdParty: plugins.length > 0 } satisfies Greeting<unknown>, [port2]);
  } catch (error) { // a set-up that cannot be posted
    worker.terminate();
    for (const one of [port, port2]) one.close();
    throw error;
  }

  return {
    run(task, step) {
      if (failed) return Promise.reject(failed);
      return new Promise((resolve, reject) => {
        waiting = { step, end: (answer) => "error" in answer ? reject(answer.error) : resolve(answer.result) };
        port.postMessage({ task } satisfies Order<unknown, T>);
      });
    },
    prepare: (setUp) => port.postMessage({ setUp } satisfies Order<unknown, T>),
    terminate() {
      worker.terminate();
      port.close();
    },
  };
}

/** Names the plugins that share a worker with code that failed: they could have changed the objects that all code there uses. */
function named(error: Error, plugins: readonly string[]): Error {
  if (plugins.length === 0 || plugins.some((name) => error.message.includes(name))) return error;
  const beside = `in a worker with the plugin${plugins.length > 1 ? "s" : ""} ${plugins.join(", ")}`;
  return new Error(`${said(error)} (${beside})`, { cause: error });
}
