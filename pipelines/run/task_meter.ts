/** Tells how much of a task is done by the work that kernels count. */
import type { WorkCounter } from "../../core/kernel_work.ts";
import { PROGRESS, type Progress } from "../../core/steps.ts";
import type { TaskPart } from "./runner.ts";

/**
 * Work of a step: 1 to 60 ms, since priors make 0.5 to 22 x 10^9 comparisons a second (the search of a large batch is the
 * fastest). Hosts whose pauses take long pause after a time, not after every step.
 */
const STEP = 2 ** 25;

/** Turns counted work into the part of a task that is done. */
export function taskMeter({ workDone }: Pick<WorkCounter, "workDone">, expected: number) {
  const begin = workDone();
  let rest = expected, before = begin, reported = 0, since = 0;
  return {
    /** Takes the work that is expected still. */
    expect(work: number) {
      rest = work;
    },
    /** Yields the part that was done since, after each iteration and whenever there was enough work. */
    *step(type: "progress" | "iteration"): Generator<Progress & TaskPart, void> {
      const now = workDone(), done = now - begin;
      rest = Math.max(rest - (now - before), 0);
      since += now - before;
      before = now;
      if (type === "progress" && since < STEP) return;
      // Where more is left than was expected, the part that is done stays as it is for a while.
      const part = Math.max(done / (done + rest) || 0, reported);
      yield { ...PROGRESS, part: part - reported };
      reported = part;
      since = 0;
    },
  };
}
