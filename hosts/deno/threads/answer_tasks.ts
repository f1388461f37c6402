/** The worker's side of `worker_thread.ts`: does tasks and posts answers. */
import { messageOf } from "../../../core/plugin_error.ts";
import type { TaskPart } from "../../../pipelines/run/runner.ts";
import { posted } from "./posted_error.ts";
import { type Answer, type Greeting, type Order, PACE } from "./worker_thread.ts";

/** The worker's global scope: the types of workers cannot be loaded beside those of Deno. */
const scope = self as unknown as {
  onmessage: unknown;
  postMessage: unknown;
  process?: object;
  addEventListener(type: "error" | "unhandledrejection", listener: (event: LateError) => void): void;
};

/** Taken before plugins are loaded, whose code could replace them. */
const { Promise, setTimeout } = globalThis;

/** The events of errors that nobody caught. */
type LateError = Event & { readonly error?: unknown; readonly reason?: unknown };

/**
 * Prepares this worker with its set-up, and then does one task after another, perhaps by another set-up later on. An error of
 * the preparation is the answer to each task.
 *
 * @param prepare returns a function that does one task and yields where it may pause
 */
export function answerTasks<S, T, R>(
  prepare: (setUp: S) => Promise<(task: T) => Generator<Partial<TaskPart>, R>>,
): void {
  scope.onmessage = ({ data: { port, setUp, thirdParty } }: MessageEvent<Greeting<S>>) => {
    scope.onmessage = null;
    scope.postMessage = () => {}; // nobody reads it, and a plugin could post faster than signals are handled
    // Taken before plugins are loaded, whose code could replace the method.
    const post: (answer: Answer<R>) => void = port.postMessage.bind(port);
    let prepared: ReturnType<typeof prepare>;
    const prepareBy = (setUp: S) => {
      prepared = prepare(setUp);
      prepared.catch(() => {}); // the first task reports it
    };
    prepareBy(setUp);
    // Deno would print what timers and promises throw, with a stack trace.
    const late = (event: LateError) => {
      event.preventDefault();
      post({ late: messageOf(event.type === "error" ? event.error : event.reason) });
    };
    for (const [owner, name] of [[scope, "close"], [Deno, "exit"], [scope.process, "exit"]] as const) {
      // In a sandbox they end nothing.
      if (owner && Object.getOwnPropertyDescriptor(owner, name)?.writable) {
        before(owner, name, () => post({ ended: true }));
      }
    }
    scope.addEventListener("error", late);
    scope.addEventListener("unhandledrejection", late);
    port.onmessage = async ({ data }: MessageEvent<Order<S, T>>) => {
      if ("setUp" in data) return prepareBy(data.setUp);
      try {
        const steps = (await prepared)(data.task);
        let step = steps.next(), part = 0, posted = performance.now();
        for (; !step.done; step = steps.next()) {
          part += step.value.part ?? 0;
          if (performance.now() - posted < PACE) continue;
          post({ step: part });
          part = 0;
          posted = performance.now();
        }
        if (thirdParty) await nextTurn();
        post({ result: step.value });
      } catch (error) {
        post({ error: posted(error) });
      }
    };
  };
}

/**
 * Lets the events come first of promises that were rejected until now, and of timers that are due. In a turn the events of promises
 * come after the timers: a timer that is due at once comes before them, a second one does not.
 */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(() => setTimeout(resolve, 0), 0));
}

/** Does something before each call of a method. A worker that ends itself may still finish what it does, and answer. */
function before(owner: object, name: string, work: () => void): void {
  const methods = owner as Record<string, (...values: unknown[]) => unknown>, method = methods[name];
  methods[name] = (...values) => {
    work();
    return method.apply(owner, values);
  };
}
