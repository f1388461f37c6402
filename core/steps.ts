/**
 * Long work that can pause: a generator that yields tagged events, `PROGRESS` where nothing else happened. Whoever runs it
 * reads the counter of the kernels (`WorkCounter`) to know how much was done since.
 */
import type { WorkCounter } from "./kernel_work.ts";

/** Some work was done. */
export interface Progress {
  /** Tells it from other events. */
  readonly type: "progress";
}

/** The event of work that was done. */
export const PROGRESS: Progress = { type: "progress" };

/** Long work that yields only where it may pause. */
export type Steps<Result> = Generator<Progress, Result>;

/** There is a step after so much work, 0.1 ms of one core's: less of it takes no longer than the pause. */
export const MIN_STEP = 2 ** 20;

/** Runs work to its end and returns its result. What is no generator is a result already. */
export function finish<Result>(work: Result | Generator<unknown, Result>): Result {
  if (!isSteps(work)) return work;
  for (let step = work.next();; step = work.next()) if (step.done) return step.value;
}

/** Does work inside other work, and yields what `pass` yields for each event. If it is closed early, it closes the work. */
export function* eachEvent<Event, Passed, Result>(
  work: Generator<Event, Result>,
  pass: (event: Event) => Iterable<Passed>,
): Generator<Passed, Result> {
  try {
    for (let step = work.next();; step = work.next()) {
      if (step.done) return step.value;
      yield* pass(step.value);
    }
  } finally {
    work.return(undefined as Result);
  }
}

/** Whether a value is work that can pause. */
export function isSteps<Result>(value: Result | Generator<unknown, Result>): value is Generator<unknown, Result> {
  return typeof (value as Partial<Generator> | undefined | null)?.next === "function";
}

/** Returns a function that returns whether `MIN_STEP` was done since it last returned true. */
export function stepCounter({ workDone }: Pick<WorkCounter, "workDone">): () => boolean {
  let before = workDone();
  return () => {
    const done = workDone();
    if (done - before < MIN_STEP) return false;
    before = done;
    return true;
  };
}
