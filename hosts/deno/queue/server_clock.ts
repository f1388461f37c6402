/**
 * The time of the queue's server. Workers compare the times at which locks end, and a check for lost parts that one of them notes in
 * the future keeps all others from checking. So no clock that somebody may set counts: the time since the server was asked is counted
 * by one that only goes on.
 */

/** Milliseconds by which the own clock and the time that passed may disagree before the server is asked again. */
const DRIFT = 2000;

/** The clocks of a machine, in milliseconds, and how the server is asked. */
export interface Clocks {
  /** The time of day, which may be set at any time. */
  readonly own: () => number;
  /** The time since some moment. It is never set, but may stand still while the machine sleeps. */
  readonly passed: () => number;
  /** The time of day of the server. */
  readonly ask: () => Promise<number>;
  /** Milliseconds until the server is asked again after it did not answer. */
  readonly pause: number;
}

/** Returns a function that gives the time of a server, which was `server` now, in whole milliseconds. */
export function serverClock(server: number, { own, passed, ask, pause }: Clocks): () => number {
  let start = server - passed(), ahead = own() - server, isAsking = false;
  const now = () => start + passed();
  const again = async () => {
    isAsking = true;
    try {
      start = await ask() - passed();
      ahead = own() - now();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    isAsking = false;
  };
  return () => {
    // The own clock was set, or the machine slept.
    if (!isAsking && Math.abs(own() - ahead - now()) > DRIFT) again();
    return Math.round(now());
  };
}
