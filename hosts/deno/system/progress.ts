/** Shows the progress of long work on the standard error: a bar on a terminal, plain lines elsewhere. */

import { durationText } from "./duration_text.ts";
import { printable } from "./printable.ts";

/** The progress of long work, as the runners of `pipelines/` have it. */
export interface ProgressBar {
  /**
   * @param done the part that is done, from 0 to 1
   * @param current what is being done now
   */
  update(done: number, current?: string): void;
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
  write(text) {
    try {
      Deno.stderr.writeSync(new TextEncoder().encode(text));
    } catch {
      // Who read it is gone. The work goes on.
    }
  },
  now: () => performance.now(),
};

/** Length of the bar in characters. */
const BAR = 30;
/** The most characters of a line with a bar: a longer one would wrap, and stay when the next one is written over it. */
const WIDTH = 79;
/** Milliseconds between two bars. */
const REDRAWN = 100;
/** Milliseconds until the first plain line, and between two; without progress of a tenth there is one a minute. */
const EVERY = 5000, MINUTE = 60_000, TENTHS = 10;
/**
 * The time left is shown after this part of the work and so many milliseconds, or after a minute. An earlier estimate is wrong: loading
 * a kept fit can take most of the time of the first per mille, and work of 16 seconds would seem to take an hour.
 */
const MIN_SHARE = 0.02, MIN_TIME = 2000;
/**
 * Milliseconds in which the time left takes up most of a change of speed: stages of work differ, and it would jump. Near the end it is a
 * third of the time that is left.
 */
const SMOOTH = 10_000;
/**
 * What is done in the first milliseconds says nothing of the speed. As much must be done after it, or this part of what was left: a
 * hundredth more would say ten times too much of work that begins fast.
 */
const AT_ONCE = 500, AFTER = 0.1;
/** Work that takes less is not announced. In seconds. */
const LONG = 30;

/**
 * Starts to show progress under a label; shows nothing if `quiet`.
 *
 * @param note what else to say in the line that announces long work, as soon as it is known how long it takes; none by default
 */
export function progress(
  label: string,
  quiet: boolean,
  { isTerminal, write, now }: Screen = STDERR,
  note?: string,
): ProgressBar {
  const started = now(), bar = isTerminal(), timeLeft = smoothTimeLeft(started);
  let lastShown = started, lastTenth = 0, isOpen = note !== undefined;
  const isDue = (time: number, done: number) => {
    if (bar) return time - lastShown >= REDRAWN;
    const isFurther = lastShown === started || Math.floor(done * TENTHS) > lastTenth;
    return time - lastShown >= (isFurther ? EVERY : MINUTE);
  };
  return {
    update(done, current) {
      const time = now(), left = timeLeft(time, done);
      if (quiet || !isDue(time, done)) return;
      lastShown = time;
      lastTenth = Math.floor(done * TENTHS);
      if (isOpen && left !== undefined) {
        isOpen = false;
        const all = (time - started) / 1000 + left;
        if (all >= LONG) write(`${bar ? "\r\x1b[K" : ""}${label} takes about ${durationText(all)}, ${note}\n`);
      }
      const rest = left === undefined ? "" : `, ${durationText(left)} left`;
      const full = Math.round(done * BAR), percent = `${Math.floor(done * 100)} %`;
      const state = `${percent}${rest}${current === undefined ? "" : `: ${printable(current)}`}`;
      if (bar) write(`\r\x1b[K${`${label} [${"#".repeat(full)}${"-".repeat(BAR - full)}] ${state}`.slice(0, WIDTH)}`);
      else write(`${label}: ${state}\n`);
    },
    end() {
      if (!quiet && bar) write("\r\x1b[K");
    },
  };
}

/**
 * Returns a function that estimates the seconds that are left from the mean speed so far; undefined as long as nobody knows. Between two
 * calls it falls as the clock goes on, and comes nearer to a new estimate the more time has passed.
 */
function smoothTimeLeft(started: number): (time: number, done: number) => number | undefined {
  let first: { readonly time: number; readonly done: number } | undefined, began: number | undefined;
  let last: { readonly time: number; readonly done: number; readonly left: number } | undefined;
  return (time, done) => {
    // What comes before the first step, such as starting threads, is done once, and what was kept is there at once.
    began ??= time;
    if (!first || time - began < AT_ONCE) first = { time, done };
    const from = done > first.done ? first : { time: started, done: 0 }, passed = time - from.time;
    const least = Math.max(MIN_SHARE, Math.min(from.done, AFTER * (1 - from.done)));
    if (done <= from.done || passed < MIN_TIME || (done - from.done < least && passed < MINUTE)) return undefined;
    const found = passed * (1 - done) / (done - from.done) / 1000;
    if (!last || done >= 1) last = { time, done, left: found };
    const expected = last.left - (time - last.time) / 1000, within = Math.min(SMOOTH, 1000 * found / 3) + 1;
    // The estimate before was of the work that was left then: it counts as much as the part of it that is left now.
    const still = last.done < 1 ? Math.min((1 - done) / (1 - last.done), 1) : 1;
    const weight = 1 - still * Math.exp((last.time - time) / within);
    last = { time, done, left: Math.max(expected + weight * (found - expected), 0) };
    return last.left;
  };
}

/** Prints a line to the standard error, in place of a bar that may be there. */
export function printOverBar(text: string, { isTerminal, write }: Screen = STDERR): void {
  write(`${isTerminal() ? "\r\x1b[K" : ""}${printable(text)}\n`);
}
