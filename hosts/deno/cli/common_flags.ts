/** Flags that several commands have, and how their values are read. */
import { readFlags, UsageError, wholeNumber } from "./flags.ts";
import type { Command, Flag, Given } from "./flags.ts";

/** The help texts of `--plugin` and `--sandbox`. */
export const PLUGIN_ABOUT = "a plugin of your own: ./file.ts, npm:name@1, https://...";
export const SANDBOX_ABOUT = "plugins run in workers that may do nothing but compute";

/** `--plugin` and `--sandbox`. */
export const pluginFlags = {
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  sandbox: { about: SANDBOX_ABOUT },
} as const;

/** `--quiet`. */
export const quietFlag = { quiet: { about: "no progress" } } as const;

/** `--threads`, and what does not depend on it. */
export function threadsFlag(same: "bytes" | "numbers" | "scores") {
  return { threads: { value: "N", about: `workers; the ${same} do not depend on it (all cores)` } } as const;
}

/** More threads than this are of no use to any command. */
const MOST_THREADS = 64;

/** The value of `--threads`: by default as many as the machine has cores. */
export function readThreads(given: string | undefined): number {
  const cores = Math.min(navigator.hardwareConcurrency, MOST_THREADS);
  return wholeNumber("threads", given ?? String(cores), 1, MOST_THREADS);
}

/** The value of `--seed`: 1 by default. */
export function readSeed(given: string | undefined): number {
  return wholeNumber("seed", given ?? "1", 0, Number.MAX_SAFE_INTEGER);
}

/** The value of `--class` where it is a number. */
export function readClass(given: string): number {
  return wholeNumber("class", given, 0, 255);
}

/** Reads the flags of a command that takes nothing else; undefined where its help was printed. */
export function readFlagsOnly<const F extends Readonly<Record<string, Flag>>>(
  args: readonly string[],
  command: Command<F>,
): Given<F> | undefined {
  const read = readFlags(args, command);
  if (read === "helped") return undefined;
  if (read.rest.length === 0) return read.given;
  throw new UsageError(`${command.name} takes flags only, got "${read.rest[0]}" (see --help)`);
}

/** Prints news of a command on the standard error, unless it is quiet. */
export function sayer(quiet: boolean): (text: string) => void {
  return (text) => {
    if (!quiet) console.error(text);
  };
}
