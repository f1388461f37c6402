/** Runs one synthesis at a time; the others wait in a queue. Kernel memory is a stack, on which two of them cannot alternate. */
import type { Steps, WorkDone } from "../../core/steps.ts";
import { Problem } from "./problem.ts";

/** A queue of generators that run one after another, with pauses in which the host can answer other requests. */
export interface Queue {
  /**
   * Waits for its turn, then runs `start()` to its end and returns its result. There is a pause whenever the work of its steps
   * adds up to `PAUSE_WORK`.
   *
   * @param stopped whether the result is no longer wanted: the generator is closed, and the result is undefined
   * @throws {Problem} (503) if the queue is full
   */
  run<Result>(start: () => Steps<Result>, stopped: () => boolean): Promise<Result | undefined>;
}

/** There is a pause after this much work: some milliseconds, a digit or a tenth of a face. */
export const PAUSE_WORK: WorkDone = 2 ** 23;

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

/** Makes a queue for at most `most` requests, including the one at work. */
export function openQueue(most: number): Queue {
  const entries: Entry[] = [];

  /** Waits until an entry is the first. Returns false if it is stopped before. */
  async function waitForTurn(entry: Entry, stopped: () => boolean): Promise<boolean> {
    for (let first = entries[0], before = first.steps, idle = 0; entries[0] !== entry; idle++) {
      await pause();
      if (stopped()) return false;
      if (entries[0] !== first || first.steps !== before) [first, idle] = [entries[0], 0];
      before = first.steps;
      if (idle >= ABANDONED) first.leave();
    }
    return true;
  }

  return {
    async run(start, stopped) {
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
        if (entries[0] !== entry && !await waitForTurn(entry, stopped)) return;
        work = start();
        let done: WorkDone = 0;
        for (let step = work.next(); !stopped(); step = work.next()) {
          entry.steps++;
          if (step.done) return step.value;
          done += step.value;
          if (done < PAUSE_WORK) continue;
          await pause();
          done = 0;
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
