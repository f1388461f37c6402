/**
 * How a worker looks for jobs that suit it. It gives any other job back at once, which goes to the end of the queue, where others can
 * take it. When a job comes again, the worker has seen all that wait: it takes none for a while, because each taking keeps a job from
 * others for a moment. After a job that failed it takes none for a while, either: others should try that one first.
 */

/** Milliseconds of the first pause. Each one is twice as long as the one before. */
const FIRST_PAUSE = 500;
/** How often a pause has the length of the look through the queue before it, at least: looking takes a quarter of the time at most. */
const REST = 3;
/** How many jobs are remembered in a look, at most. */
const MAX_SEEN = 100_000;
/** Milliseconds after which a job that is not given back counts as one that suits. */
const SUITS = 2000;
/** Milliseconds between two looks at whether others have jobs. */
const LOOK = 500;

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
  /** A job failed that should be tried again so many milliseconds later, or when others have ended theirs. */
  failed(pause: number): void;
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
  /** How many jobs other workers have; and milliseconds for which a worker that failed waits for them, at most. */
  readonly others: () => Promise<number>;
  readonly patience: number;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** Begins to search. */
export function jobSearch(options: SearchOptions): JobSearch {
  const { taker, concurrency, longest, now = () => performance.now() } = options;
  const seen = new Set<string>();
  let pause = 0, start = 0, slots = concurrency, takings = 0, isResting = false;
  let stop: (() => void) | undefined; // a pause, without its end

  const setSlots = (count: number) => {
    slots = count;
    taker.concurrency = slots + takings;
  };
  const resume = () => {
    stop?.();
    stop = undefined;
    isResting = false;
    taker.resume();
  };
  return {
    back(id, others) {
      setSlots(others > 0 ? concurrency : 1); // a worker without work tries one job after another
      if (stop) return;
      if (seen.size === 0) start = now();
      if (!seen.has(id) && seen.size < MAX_SEEN) return void seen.add(id);
      seen.clear();
      pause = Math.min(2 * pause || FIRST_PAUSE, longest);
      taker.pause(true);
      const timer = setTimeout(resume, Math.max(pause, REST * (now() - start)));
      stop = () => clearTimeout(timer);
    },
    done() {
      seen.clear();
      pause = 0;
      setSlots(concurrency);
      if (stop && !isResting) resume();
    },
    failed(milliseconds) {
      stop?.();
      isResting = true;
      taker.pause(true);
      stop = afterOthers(options, Math.min(milliseconds, longest), resume);
    },
    taken() {
      if (slots === concurrency) return () => {};
      const suits = setTimeout(() => {
        setSlots(concurrency);
        if (!stop) taker.pause(true).then(resume); // otherwise it counts its slots when a job ends
      }, SUITS);
      return () => clearTimeout(suits);
    },
    waiting(count) {
      takings = count;
      setSlots(slots);
    },
    close: () => stop?.(),
  };
}

/**
 * Calls a function after a pause, but not before other workers have ended their jobs, unless that takes too long. Returns a function
 * that prevents it.
 */
function afterOthers({ others, patience }: SearchOptions, pause: number, end: () => void): () => void {
  const start = performance.now();
  let timer: ReturnType<typeof setTimeout>, isStopped = false;
  const wait = (milliseconds: number) => {
    timer = setTimeout(async () => {
      const isOver = performance.now() - start >= patience || await others() <= 0;
      if (isStopped) return;
      if (isOver) end();
      else wait(LOOK);
    }, milliseconds);
  };
  wait(pause);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
