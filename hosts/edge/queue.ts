/** One synthesis at a time: kernel memory is a stack, so two of them cannot take turns on it. The others stand in line. */
import { Problem } from "./problem.ts";

/** Runs generators one after another, with pauses in which the host can serve whoever does not need the kernels. */
export interface Queue {
  /**
   * Waits for its turn, then runs `start()` to its end, showing `seen` what it yields; after values for which that returns
   * true there is a pause. Undefined once `stopped` says so. Throws a `Problem` (503) where too many wait already.
   */
  run<Y, R>(
    start: () => Generator<Y, R>,
    seen: (value: Y) => boolean,
    stopped: () => boolean,
  ): Promise<R | undefined>;
}

interface Place {
  /** Goes up with each step: it is alive. */
  steps: number;
  leave(): void;
}

/**
 * Some hosts drop a request whose client went away where it stands, and no `finally` is run. Whoever is first in the line
 * and has not moved while the one behind paused this often is gone.
 */
const PATIENCE = 200;

/** A line with room for `most`. */
export function queue(most: number): Queue {
  const places: Place[] = [];
  return {
    async run(start, seen, stopped) {
      if (places.length >= most) {
        throw new Problem(503, "path", `Expected at most ${most} requests at a time, found more: try again`, {
          "Retry-After": "1",
        });
      }
      let steps: ReturnType<typeof start> | undefined;
      const place: Place = {
        steps: 0,
        leave() {
          if (places.includes(place)) places.splice(places.indexOf(place), 1);
          steps?.return(undefined as never);
        },
      };
      places.push(place);
      try {
        for (let first = places[0], before = first.steps, idle = 0; places[0] !== place; idle++) {
          await pause();
          if (stopped()) return;
          if (places[0] !== first || first.steps !== before) [first, idle] = [places[0], 0];
          before = first.steps;
          if (idle >= PATIENCE) first.leave();
        }
        steps = start();
        for (let step = steps.next(); !stopped(); step = steps.next()) {
          place.steps++;
          if (step.done) return step.value;
          if (seen(step.value)) await pause();
        }
      } finally {
        place.leave();
      }
    },
  };
}

/** Lets other requests in. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
