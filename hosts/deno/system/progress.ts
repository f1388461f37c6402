/** Shows the progress of long work on the standard error: a bar on a terminal, plain lines elsewhere. */

import { durationText } from "./duration_text.ts";
import { printable } from "./printable.ts";

/** The progress of long work, as the runners of `pipelines/` have it. */
export interface ProgressBar {
  /** @param done the part that is done, from 0 to 1 */
  update(done: number): void;
  /** Ends the work. */
  end(): void;
}

/** The terminal that progress is shown on, and a clock. */
export interface Screen {
  isTerminal(): boolean;
  write(text: string): void;
  /** Milliseconds since any fixed moment. */
  now(): number;
}

const STDERR: Screen = {
  // A command with third-party plugins runs in a process of its own, whose output is passed on.
  isTerminal: () => Deno.stderr.isTerminal() || /\/contained\.ts\?\d+&terminal$/.test(Deno.mainModule),
  write: (text) => Deno.stderr.writeSync(new TextEncoder().encode(text)),
  now: () => performance.now(),
};

/** Length of the bar in characters. */
const BAR = 30;
/** Seconds between plain lines. */
const EVERY = 5;
/**
 * The time left is shown after this part of the work, or after this many seconds. An earlier estimate is wrong: loading a kept fit can take
 * most of the time of the first per mille, and work of 16 seconds would seem to take an hour.
 */
const MIN_SHARE = 0.01, MIN_SECONDS = 60;

/** Starts to show progress under a label; shows nothing if `quiet`. */
export function progress(label: string, quiet: boolean, { isTerminal, write, now }: Screen = STDERR): ProgressBar {
  const started = now(), bar = isTerminal();
  let lastShown = started, first: { readonly time: number; readonly done: number } | undefined;
  return {
    update(done) {
      const time = now();
      // What comes before the first step, such as starting threads, is done once.
      first ??= { time, done };
      if (quiet || time - lastShown < (bar ? 100 : EVERY * 1000)) return;
      lastShown = time;
      const from = done > first.done ? first : { time: started, done: 0 };
      const left = (time - from.time) * (1 - done) / (done - from.done) / 1000;
      const isKnown = done > 0 && (done - from.done >= MIN_SHARE || time - from.time >= MIN_SECONDS * 1000);
      const rest = isKnown ? `, ${durationText(left)} left` : "";
      const full = Math.round(done * BAR), percent = `${Math.floor(done * 100)} %`;
      if (bar) write(`\r\x1b[K${label} [${"#".repeat(full)}${"-".repeat(BAR - full)}] ${percent}${rest}`);
      else write(`${label}: ${percent}${rest}\n`);
    },
    end() {
      if (!quiet && bar) write("\r\x1b[K");
    },
  };
}

/** Prints a line to the standard error, in place of a bar that may be there. */
export function printOverBar(text: string, { isTerminal, write }: Screen = STDERR): void {
  write(`${isTerminal() ? "\r\x1b[K" : ""}${printable(text)}\n`);
}
