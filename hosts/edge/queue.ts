/** Runs one synthesis at a time; the others wait in a queue. Kernel memory is a stack, on which two of them cannot alternate. */
import { Problem } from "./problem.ts";

/** A queue of generators that run one after another, with pauses in which the host can answer other requests. */
export interface Queue {
  /**
   * Waits for its turn, then runs `start()` to its end and returns its result.
   *
   * @param onValue gets each value that the generator yields; there is a pause after those for which it returns true
   * @param stopped whether the result is no longer wanted: the generator is closed, and the result is undefined
   * @throws {Problem} (503) if the queue is full
   */
  run<Y, R>(
    start: () => Generator<Y, R>,
    onValue: (value: Y) => boolean,
    stopped: () => boolean,
  ): Promise<R | undefined>;
}

/** A request in the queue; the first one is at work. */
interface Entry {
  /** How many values its generator has yielded. While the number grows, the request is alive. */
  values: number;
  leave(): void;
}

/**
 * Some hosts abandon a request whose client is gone, without running its `finally`. If the first entry yields no value while
 * the next one pauses this many times, it counts as abandoned.
 */
const ABANDONED = 200;

/** Makes a queue for at most `most` requests, including the one at work. */
export function openQueue(most: number): Queue {
  const entries: Entry[] = [];

  /** Waits until an entry is the first. Returns false if it is stopped before. */
  async function waitForTurn(entry: Entry, stopped: () => boolean): Promise<boolean> {
    for (let first = entries[0], before = first.values, idle = 0; entries[0] !== entry; idle++) {
      await pause();
      if (stopped()) return false;
      if (entries[0] !== first || first.values !== before) [first, idle] = [entries[0], 0];
      before = first.values;
      if (idle >= ABANDONED) first.leave();
    }
    return true;
  }

  return {
    async run(start, onValue, stopped) {
      if (entries.length >= most) {
        throw new Problem(503, "path", `Expected at most ${most} requests at a time, got more: try again`, {
          "Retry-After": "1",
        });
      }
      let work: ReturnType<typeof start> | undefined;
      const entry: Entry = {
        values: 0,
        leave() {
          if (entries.includes(entry)) entries.splice(entries.indexOf(entry), 1);
          work?.return(undefined as never);
        },
      };
      entries.push(entry);
      try {
        if (entries[0] !== entry && !await waitForTurn(entry, stopped)) return;
        work = start();
        for (let next = work.next(); !stopped(); next = work.next()) {
          entry.values++;
          if (next.done) return next.value;
          if (onValue(next.value)) await pause();
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
