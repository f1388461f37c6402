/** The flags that several commands share, and how their values are read. */
import { type Command, type Flag, type Given, readFlags, UsageError, wholeNumber } from "./flags.ts";

/** The help texts of `--plugin` and `--sandbox`. */
export const PLUGIN_ABOUT = "a plugin of your own: ./file.ts, npm:name@1, https://...";
export const SANDBOX_ABOUT = "run plugins in workers that may only compute";

/** `--plugin` and `--sandbox`. */
export const pluginFlags = {
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  sandbox: { about: SANDBOX_ABOUT },
} as const;

/** `--force`. */
export const forceFlag = { force: { about: "replace files in --out that Patchloom did not write" } } as const;

/** `--quiet`. */
export const quietFlag = { quiet: { about: "print no progress" } } as const;

/** `--threads`; its help says what does not depend on it. */
export function threadsFlag(same: "bytes" | "numbers" | "scores") {
  return { threads: { value: "N", about: `number of workers; the ${same} do not depend on it (all cores)` } } as const;
}

/** The most threads: no command gains from more. */
const MOST_THREADS = 64;

/** Reads the value of `--threads`; by default the number of the machine's cores. */
export function readThreads(given: string | undefined): number {
  const cores = Math.min(navigator.hardwareConcurrency, MOST_THREADS);
  return wholeNumber("threads", given ?? String(cores), 1, MOST_THREADS);
}

/** Reads the value of `--seed`; 1 by default. */
export function readSeed(given: string | undefined): number {
  return wholeNumber("seed", given ?? "1", 0, Number.MAX_SAFE_INTEGER);
}

/** Reads a value of `--class` that is a number. */
export function readClass(given: string): number {
  return wholeNumber("class", given, 0, 255);
}

/**
 * Checks that images have the class of `--class`, if it is given.
 *
 * @param labels the classes of the images; [undefined] if they have none
 * @param name names the images in errors
 * @throws {UsageError} if they have no such class
 */
export function checkClass(only: number | undefined, labels: readonly (number | undefined)[], name: string): void {
  if (only === undefined || labels.includes(only)) return;
  const known = labels[0] === undefined ? "" : ` (classes: ${labels.join(", ")})`;
  throw new UsageError(`Cannot use --class ${only}: the images of ${name} have no such class${known}`);
}

/**
 * Reads the flags of a command that takes nothing else. Returns undefined if its help was printed.
 *
 * @throws {UsageError} as `readFlags`, and if there is another word
 */
export function readFlagsOnly<const F extends Readonly<Record<string, Flag>>>(
  args: readonly string[],
  command: Command<F>,
): Given<F> | undefined {
  const read = readFlags(args, command);
  if (read === "helped") return undefined;
  if (read.rest.length === 0) return read.given;
  throw new UsageError(`${command.name} takes flags only, got "${read.rest[0]}" (see --help)`);
}

/** Makes a function that prints news of a command to the standard error, unless the command is quiet. */
export function sayer(quiet: boolean): (text: string) => void {
  return (text) => {
    if (!quiet) console.error(text);
  };
}
