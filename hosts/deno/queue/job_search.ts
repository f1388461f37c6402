/**
 * How a worker looks for jobs that suit it. It gives any other job back at once, which goes to the end of the queue, where others can
 * take it. When a job comes again, the worker has seen all that wait: it takes none for a while, because each taking keeps a job from
 * others for a moment.
 */

/** Milliseconds of the first pause. Each one is twice as long as the one before. */
const FIRST_PAUSE = 500;
/** How often a pause has the length of the look through the queue before it, at least: looking takes a quarter of the time at most. */
const REST = 3;
/** How many jobs are remembered in a look, at most. */
const MAX_SEEN = 100_000;
/** Milliseconds after which a job that is not given back counts as one that suits. */
const SUITS = 2000;

/** What takes jobs, as much of it as is used. */
export interface Taker {
  concurrency: number;
  /** Takes no more jobs, also while others are open. */
  pause(isAtOnce: true): Promise<void>;
  resume(): Promise<void>;
}

/** The search of a worker. */
export interface JobSearch {
  /** A job was given back, beside so many others that are open. */
  back(id: string, others: number): void;
  /** A job was done. */
  done(): void;
  /** A job was taken. Returns a function to call when it has ended. */
  taken(): () => void;
  /** So many takings only wait. They need slots beside those of the worker. */
  waiting(takings: number): void;
  /** Ends a pause for ever, without taking more jobs. */
  close(): void;
}

/** How a worker searches. */
export interface SearchOptions {
  readonly taker: Taker;
  /** How many jobs it does at a time. */
  readonly concurrency: number;
  /** Milliseconds of a pause, at most; more if a look through the queue takes long. */
  readonly longest: number;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** Begins to search. */
export function jobSearch({ taker, concurrency, longest, now = () => performance.now() }: SearchOptions): JobSearch {
  const seen = new Set<string>();
  let pause = 0, start = 0, slots = concurrency, takings = 0, timer: ReturnType<typeof setTimeout> | undefined;

  const setSlots = (count: number) => {
    slots = count;
    taker.concurrency = slots + takings;
  };
  const resume = () => {
    clearTimeout(timer);
    timer = undefined;
    taker.resume();
  };
  return {
    back(id, others) {
      setSlots(others > 0 ? concurrency : 1); // a worker without work tries one job after another
      if (timer !== undefined) return;
      if (seen.size === 0) start = now();
      if (!seen.has(id) && seen.size < MAX_SEEN) return void seen.add(id);
      seen.clear();
      pause = Math.min(2 * pause || FIRST_PAUSE, longest);
      taker.pause(true);
      timer = setTimeout(resume, Math.max(pause, REST * (now() - start)));
    },
    done() {
      seen.clear();
      pause = 0;
      setSlots(concurrency);
      if (timer !== undefined) resume();
    },
    taken() {
      if (slots === concurrency) return () => {};
      const suits = setTimeout(() => {
        setSlots(concurrency);
        if (timer === undefined) taker.pause(true).then(resume); // otherwise it counts its slots when a job ends
      }, SUITS);
      return () => clearTimeout(suits);
    },
    waiting(count) {
      takings = count;
      setSlots(slots);
    },
    close: () => clearTimeout(timer),
  };
}
