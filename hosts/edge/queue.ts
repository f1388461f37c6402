/** Runs one synthesis at a time; the others wait in a queue. Kernel memory is a stack, on which two of them cannot alternate. */
import type { WorkCounter } from "../../core/kernel_work.ts";
import type { Steps } from "../../core/steps.ts";
import { Problem } from "./problem.ts";

/** A queue of generators that run one after another, with pauses in which the host can answer other requests. */
export interface Queue {
  /**
   * Waits for its turn, then runs `start()` to its end and returns its result. There is a pause whenever `PAUSE_WORK` was done.
   *
   * @param signals each aborts when the result is no longer wanted: the generator is closed, and the result is undefined
   * @throws {Problem} (503) if the queue is full
   */
  run<Result>(start: () => Steps<Result>, signals: readonly AbortSignal[]): Promise<Result | undefined>;
}

/** There is a pause after this much work: some milliseconds, a digit or a tenth of a face. */
export const PAUSE_WORK = 2 ** 23;

/** A request in the queue; the first one is at work. */
interface Entry {
  /** How many steps it has done. While the number grows, the request is alive. */
  steps: number;
  leave(): void;
}

/**
 * Some hosts abandon a request whose client is gone, without running its `finally`. If the first entry does no step while
 * the next one pauses this many times, it counts as abandoned.
 */
const ABANDONED = 200;

/** Makes a queue for at most `most` requests, including the one at work. The counter counts the work of all. */
export function openQueue(most: number, { workDone }: Pick<WorkCounter, "workDone">): Queue {
  const entries: Entry[] = [];

  /** Waits until an entry is the first. Returns false if it is stopped before. */
  async function waitForTurn(entry: Entry, isStopped: () => boolean): Promise<boolean> {
    for (let first = entries[0], before = first.steps, idle = 0; entries[0] !== entry; idle++) {
      await pause();
      if (isStopped()) return false;
      if (entries[0] !== first || first.steps !== before) [first, idle] = [entries[0], 0];
      before = first.steps;
      if (idle >= ABANDONED) first.leave();
    }
    return true;
  }

  return {
    async run(start, signals) {
      const isStopped = () => signals.some(({ aborted }) => aborted);
      if (entries.length >= most) {
        throw new Problem(
          503,
          "path",
          `Expected at most ${most} requests at a time, got ${entries.length + 1}: try again`,
          {
            "Retry-After": "1",
          },
        );
      }
      let work: ReturnType<typeof start> | undefined;
      const entry: Entry = {
        steps: 0,
        leave() {
          if (entries.includes(entry)) entries.splice(entries.indexOf(entry), 1);
          work?.return(undefined as never);
        },
      };
      entries.push(entry);
      try {
        if (entries[0] !== entry && !await waitForTurn(entry, isStopped)) return;
        work = start();
        let paused = workDone();
        for (let step = work.next(); !isStopped(); step = work.next()) {
          entry.steps++;
          if (step.done) return step.value;
          if (workDone() - paused < PAUSE_WORK) continue;
          await pause();
          paused = workDone();
        }
      } finally {
        entry.leave();
      }
    },
  };
}

/** Lets the host answer other requests. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
