/** The signals that ask a command to stop early. */
import { printOverBar } from "./progress.ts";

/** Ctrl-C, and the signals by which systems other than Windows end processes, each with its number. */
export const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 2]]
  : [["SIGINT", 2], ["SIGTERM", 15], ["SIGHUP", 1]];

/** The listeners that listen now. Signals go to the process, and so the whole process shares this set. */
const LISTENING = new Set<StopSignals>();

/**
 * Ends the process at a signal, unless a `StopSignals` listens. Without plugins the system does so. But a plugin that adds
 * a listener in its worker takes this away from the whole process, and may then never end.
 */
export function endAtSignals(): void {
  for (const [signal, number] of SIGNALS) {
    Deno.addSignalListener(signal, () => LISTENING.size === 0 && endBy(number));
  }
}

/** Ends the process, with the exit code by which shells report a signal. */
function endBy(number: number): never {
  Deno.exit(128 + number);
}

/** Milliseconds in which further signals belong to the same key press. */
const SAME_PRESS = 500;

/**
 * Makes a function that is told of each signal and returns which key press it belongs to, from 1. A terminal sends Ctrl-C to the
 * command and to `deno task` or `npx` above it, and those pass it on: one press arrives twice or three times.
 *
 * @param now returns milliseconds since any fixed moment
 */
export function pressCounter(now: () => number = () => performance.now()): () => number {
  let presses = 0, since = -Infinity;
  return () => {
    const time = now();
    if (time - since > SAME_PRESS) {
      presses++;
      since = time;
    }
    return presses;
  };
}

/**
 * A listener for stop signals; a second key press ends the process. It listens until it is disposed of, or, once a signal came, until
 * the process ends. Before `listen` is called, a signal ends the process at once.
 */
export interface StopSignals extends Disposable {
  /** Starts to listen. */
  listen(): void;
  /** Aborts when a signal of the system came. */
  readonly signal: AbortSignal;
}

/**
 * Does work that a signal may stop.
 *
 * @param kept says what is kept of it
 * @throws {Error} what the work throws; after a signal, that it was stopped and what is kept
 */
export async function stoppable<T>(signals: StopSignals, kept: () => string, work: () => Promise<T>): Promise<T> {
  signals.listen();
  try {
    return await work();
  } catch (cause) {
    throw signals.signal.aborted ? new Error(`Stopped: ${kept()}`, { cause }) : cause;
  }
}

/** What the user is told at the first signal. */
const STOPPING = "Stopping after the work that is under way; a second Ctrl-C ends it at once";

/** Makes a listener that does not listen yet. */
export function stopSignals(
  pressOf: () => number = pressCounter(),
  end: (number: number) => void = endBy,
): StopSignals {
  const stopping = new AbortController(), { signal: aborting } = stopping;
  const listening: (readonly [Deno.Signal, () => void])[] = [];
  const signals: StopSignals = {
    signal: aborting,
    listen() {
      if (listening.length > 0) return;
      LISTENING.add(signals);
      for (const [signal, number] of SIGNALS) {
        const stop = () => {
          // The user does not want to wait. The record of the folder says that it is not finished.
          if (pressOf() > 1) return end(number);
          if (!aborting.aborted) printOverBar(STOPPING);
          stopping.abort();
        };
        Deno.addSignalListener(signal, stop);
        listening.push([signal, stop]);
      }
    },
    [Symbol.dispose]() {
      // The same key press may arrive once more while the command says what it has kept.
      if (aborting.aborted) return;
      LISTENING.delete(signals);
      for (const [signal, stop] of listening.splice(0)) Deno.removeSignalListener(signal, stop);
    },
  };
  return signals;
}
