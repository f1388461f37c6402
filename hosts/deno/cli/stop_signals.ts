/** Signals that ask a command for an early end. */

/** Ctrl-C, and where there is such a signal, the system's. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];

/** Listens from `listen` on until it is disposed of; before that a signal ends the process at once. */
export interface StopSignals extends Disposable {
  listen(): void;
  /** Whether a signal came. */
  came(): boolean;
}

/** Makes a listener that does not listen yet. */
export function stopSignals(): StopSignals {
  let came = false;
  const stop = () => came = true, listening: Deno.Signal[] = [];
  return {
    came: () => came,
    listen() {
      for (const signal of SIGNALS) {
        Deno.addSignalListener(signal, stop);
        listening.push(signal);
      }
    },
    [Symbol.dispose]: () => listening.splice(0).forEach((signal) => Deno.removeSignalListener(signal, stop)),
  };
}
