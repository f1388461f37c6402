/** Reads the flags of commands and prints their help. */
import { parseArgs } from "@std/cli/parse-args";
import { wordSimilaritySort } from "@std/text/word-similarity-sort";
import { suggestion } from "../../../../core/options.ts";

/** The error of a wrong command line. Its exit code is 2. */
export class UsageError extends Error {}

/** Runs a check of flags. An error that it throws becomes a `UsageError` with the same message. */
export function asUsage<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A flag of a command: `--name VALUE` if there is a `value`, which names it in the help; otherwise a switch. */
export interface Flag {
  readonly value?: string;
  readonly about: string;
  /** May be given several times. */
  readonly many?: boolean;
}

/** A command as its help shows it. */
export interface Command<F extends Readonly<Record<string, Flag>>> {
  readonly name: string;
  readonly about: string;
  readonly flags: F;
  readonly examples: readonly string[];
  /** What its words may be that are no flags, for completions: those of the first, of the second, ... Others are paths. */
  readonly words?: readonly (readonly string[])[];
}

/** The values given for a table of flags: texts, lists of texts, or booleans. */
export type Given<F extends Readonly<Record<string, Flag>>> = {
  readonly [K in keyof F]: F[K] extends { many: true } ? readonly string[]
    : F[K] extends { value: string } ? string | undefined
    : boolean;
};

/** Flags that every command has. */
export const COMMON = {
  help: { about: "print this" },
  debug: { about: "print the stack trace of an error" },
} as const satisfies Record<string, Flag>;

/**
 * Reads the flags of a command, or prints its help.
 *
 * @throws {UsageError} if a flag is unknown, with the nearest valid one; if a value is missing or given twice
 */
export function readFlags<const F extends Readonly<Record<string, Flag>>>(
  args: readonly string[],
  command: Command<F>,
): { given: Given<F>; rest: string[] } | "helped" {
  const flags: Record<string, Flag> = { ...command.flags, ...COMMON };
  const names = Object.keys(flags), withValue = names.filter((name) => flags[name].value);
  const switches = names.filter((name) => !flags[name].value);
  // "--count -1" must not be read as two flags.
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1) ?? "", valued = switches.find((name) => arg.startsWith(`--${name}=`));
    if (valued) throw new UsageError(`--${valued} takes no value, got ${arg}`);
    if (/^-\d/.test(arg) && withValue.some((name) => before === `--${name}`)) joined[joined.length - 1] += `=${arg}`;
    else joined.push(arg);
  }
  const parsed = parseArgs(joined, {
    string: ["_", ...withValue],
    boolean: switches,
    collect: withValue,
    alias: { h: "help" },
    unknown: (argument) => {
      if (!argument.startsWith("-")) return true;
      const [flag] = argument.split("=");
      throw new UsageError(`${command.name} has no flag ${flag}${nearest(flag, names)} (--help lists all)`);
    },
  });
  if (parsed.help) {
    console.log(helpText(command, flags));
    return "helped";
  }
  for (const name of withValue) {
    const values = parsed[name] as string[], { value, many } = flags[name];
    if (values.includes("")) throw new UsageError(`--${name} needs a value: --${name} ${value}`);
    if (many) continue;
    if (values.length > 1) throw new UsageError(`--${name} can be given only once, got ${values.join(" and ")}`);
    parsed[name] = values[0];
  }
  return { given: parsed as unknown as Given<F>, rest: parsed._.map(String) };
}

/**
 * Finds the subcommand that the first word names. Returns "helped" if the help was printed instead.
 *
 * @throws {UsageError} if there is none of that name
 */
export function readSubcommand<T>(
  args: readonly string[],
  command: Command<Record<never, Flag>>,
  subcommands: Readonly<Record<string, T>>,
): { subcommand: T; rest: string[] } | "helped" {
  const [word = "", ...rest] = args, names = Object.keys(subcommands);
  if (word === "" || word.startsWith("-")) {
    if (readFlags(args, command) === "helped") return "helped";
    throw new UsageError(`${command.name} needs a command (valid: ${names.join(", ")})`);
  }
  if (Object.hasOwn(subcommands, word)) return { subcommand: subcommands[word], rest };
  throw new UsageError(`There is no command "${command.name} ${word}"${suggestion(word, names)}`);
}

/**
 * Returns a given name, if it is a known one.
 *
 * @param what says in the error what the names are
 * @throws {UsageError} if it is none of them, with the nearest one
 */
export function oneOf<const T extends string>(what: string, given: string, known: readonly T[]): T {
  const found = known.find((name) => name === given);
  if (found === undefined) throw new UsageError(`There is no ${what} "${given}"${suggestion(given, known)}`);
  return found;
}

/** How many flags the error of an unknown one names. */
const NEAREST = 3;

/** Names the flags that an unknown one may mean: those that begin with a short one's letter, or the most similar ones. */
function nearest(flag: string, names: readonly string[]): string {
  const word = flag.replace(/^-+/, "");
  const meant = flag.length === 2 ? names.filter((name) => name.startsWith(word)) : wordSimilaritySort(word, names);
  const listed = meant.slice(0, NEAREST).map((name) => `--${name}`).join(", ");
  return listed && `; nearest: ${listed}`;
}

function helpText(
  command: { name: string; about: string; examples: readonly string[] },
  flags: Readonly<Record<string, Flag>>,
): string {
  const left = Object.entries(flags).map(([name, { value }]) => `  --${name}${value ? ` ${value}` : ""}`);
  const width = Math.max(...left.map((text) => text.length)) + 2;
  const lines = Object.values(flags).map(({ about }, i) => left[i].padEnd(width) + about);
  const examples = command.examples.map((example) => `  ${example}`);
  return [command.about, "", "Flags, with defaults in parentheses:", ...lines, "", "Examples:", ...examples].join("\n");
}

/**
 * Reads the value of a flag as an integer from `low` to `high`.
 *
 * @throws {UsageError} if it is none
 */
export function wholeNumber(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < low || value > high) {
    throw new UsageError(`Cannot use --${name} ${text}: expected an integer from ${low} to ${high}`);
  }
  return value;
}

/**
 * Returns a profile's name, to name a file or folder of results.
 *
 * @throws {UsageError} if the name would lead out of the folder
 */
export function fileName(command: string, profile: string, kind: "file" | "folder"): string {
  if (/^[^./\\][^/\\]*$/.test(profile)) return profile;
  throw new UsageError(`${command} needs --out: the profile's name "${profile}" is no name for a ${kind}`);
}

/** Returns the default folder of a command's results: `out/`, then `before` and the profile's name. */
export function outFolder(command: string, profile: string, before = ""): string {
  return `out/${before}${fileName(command, profile, "folder")}`;
}
