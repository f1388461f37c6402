/** The flags that several commands share, and how their values are read. */
import { LARGEST_SIDE, type Size } from "../../../../core/shape.ts";
import { type Colour, WHITE } from "../../../../datasets/formats/colour.ts";
import { classText, classTexts, MAX_CLASSES } from "../../../../datasets/groups.ts";
import { type Command, type Flag, type Given, oneOf, readFlags, UsageError, wholeNumber } from "./flags.ts";
import { tell } from "../../system/printable.ts";

/** `--plugin` and `--sandbox`. */
export const pluginFlags = {
  plugin: { value: "SPEC", many: true, about: "a plugin of your own: ./file.ts, npm:name@1, https://..." },
  sandbox: { about: "run plugins in workers that may only compute" },
} as const;

/** `--force`. */
export const forceFlag = { force: { about: "replace files in --out that Patchloom did not write" } } as const;

/** `--quiet`. */
export const quietFlag = { quiet: { about: "print no progress" } } as const;

/** `--background`. */
export const backgroundFlag = {
  background: { value: "COLOUR", about: "what transparent pixels of pictures lie on: white, black or #rrggbb (white)" },
} as const;

/** Reads the value of `--background`; white by default. */
export function readBackground(given = "white"): Colour {
  if (given === "white") return WHITE;
  if (given === "black") return [0, 0, 0];
  const [, ...parts] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(given) ?? [];
  if (parts.length === 3) return [parseInt(parts[0], 16), parseInt(parts[1], 16), parseInt(parts[2], 16)];
  throw new UsageError(`Cannot use --background ${given}: expected white, black or #rrggbb`);
}

/** `--threads`; its help says what does not depend on it. */
export function threadsFlag(same: "bytes" | "numbers" | "scores") {
  return { threads: { value: "N", about: `number of workers; the ${same} do not depend on it (all cores)` } } as const;
}

/** The most threads: no command gains from more. */
const MAX_THREADS = 64;

/** Reads the value of `--threads`; by default the number of the machine's cores. */
export function readThreads(given: string | undefined): number {
  const cores = Math.min(navigator.hardwareConcurrency, MAX_THREADS);
  return wholeNumber("threads", given ?? String(cores), 1, MAX_THREADS);
}

/** The flag of commands that look at images of another size than the profile's. */
export const sizeFlag = {
  size: { value: "WIDTHxHEIGHT", about: "size of the images, as given to synth (the profile's)" },
} as const;

/** Reads the value of `--size`: 256x192, or 256 for a square. */
export function readSize(given: string): Size {
  const sides = /^(\d{1,6})(?:x(\d{1,6}))?$/.exec(given);
  const width = Number(sides?.[1]), height = Number(sides?.[2] ?? width);
  if (sides && Math.min(width, height) >= 1 && Math.max(width, height) <= LARGEST_SIDE) return { height, width };
  throw new UsageError(
    `Cannot use --size ${given}: expected a width and a height from 1 to ${LARGEST_SIDE}, such as 256x192`,
  );
}

/** Reads the value of `--seed`; 1 by default. */
export function readSeed(given: string | undefined): number {
  return wholeNumber("seed", given ?? "1", 0, Number.MAX_SAFE_INTEGER);
}

/** Reads a value of `--class`: a class's name, or a number where classes have no names. Returns its label. */
export function readClass(given: string, { classes }: { readonly classes?: readonly string[] }): number {
  if (!classes) return wholeNumber("class", given, 0, MAX_CLASSES - 1);
  return classes.indexOf(oneOf("class", given, classes));
}

/**
 * Reads a list of classes: names, or numbers and ranges of numbers where classes have no names. Returns their labels, ascending.
 *
 * @throws {UsageError} if it is none
 */
export function readClassList(given: string, { classes }: { readonly classes?: readonly string[] }): number[] {
  const parts = given.split(",").map((part) => part.trim());
  if (classes) {
    const names = classes.includes(given) ? [given] : parts; // a name may hold a comma
    return ascending(names.map((name) => classes.indexOf(oneOf("class", name, classes))));
  }
  return ascending(parts.flatMap((part) => {
    const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part) ?? [];
    const count = Number(last) - Number(first) + 1;
    if (count >= 1 && Number(last) < MAX_CLASSES) return Array.from({ length: count }, (_, i) => Number(first) + i);
    const expected = `integers from 0 to ${MAX_CLASSES - 1}, such as 3, 0-9 or 1,3,7-9`;
    throw new UsageError(`Cannot use --class ${given}: expected ${expected}`);
  }));
}

function ascending(labels: readonly number[]): number[] {
  return [...new Set(labels)].sort((a, b) => a - b);
}

/**
 * Checks that there are images of the class of `--class`.
 *
 * @param images the labels of the images, if they have labels, their name in errors, and the names of the classes
 * @throws {UsageError} if there are none
 */
export function checkClass(
  label: number,
  { labels, name, classes }: {
    readonly labels?: Uint8Array;
    readonly name: string;
    readonly classes?: readonly string[];
  },
): void {
  const cannot = `Cannot use --class ${classText(classes, label)}`;
  if (!labels) throw new UsageError(`${cannot}: the images of ${name} have no labels`);
  if (labels.includes(label)) return;
  const known = classTexts(classes, labels).join(", ");
  throw new UsageError(`${cannot}: ${name} has no images of that class (classes: ${known})`);
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
    if (!quiet) tell(text);
  };
}
