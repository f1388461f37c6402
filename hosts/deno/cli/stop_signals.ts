/** The signals that ask a command to stop early. */

/** Ctrl-C, and the signal by which systems other than Windows end processes. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

/** A listener for stop signals; the second one ends the process. It listens until it is disposed of. Before `listen` is called, a signal ends the process at once. */
export interface StopSignals extends Disposable {
  /** Starts to listen. */
  listen(): void;
  /** Whether a signal came. */
  came(): boolean;
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
    throw signals.came() ? new Error(`Stopped: ${kept()}`, { cause }) : cause;
  }
}

/** Makes a listener that does not listen yet. */
export function stopSignals(): StopSignals {
  let came = false;
  const listening: Deno.Signal[] = [];
  const stop = () => {
    // Somebody who asks twice does not want to wait. What is written says that it is not finished.
    if (came) Deno.exit(1);
    came = true;
  };
  return {
    came: () => came,
    listen() {
      if (listening.length > 0) return;
      for (const signal of SIGNALS) {
        Deno.addSignalListener(signal, stop);
        listening.push(signal);
      }
    },
    [Symbol.dispose]: () => listening.splice(0).forEach((signal) => Deno.removeSignalListener(signal, stop)),
  };
}
