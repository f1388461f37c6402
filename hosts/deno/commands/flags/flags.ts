/** What a command is, and how its flags are read and its help is printed. */
import { alike, suggestion } from "../../../../core/suggestion.ts";
import { print } from "../../system/printable.ts";
import { RequestError, wholeNumber } from "../../system/request_error.ts";

/** The error of a wrong command line. */
export class UsageError extends RequestError {}

export { wholeNumber };

/** A flag of a command: `--name VALUE` if there is a `value`, which names it in the help; otherwise a switch. */
export interface Flag {
  readonly value?: string;
  readonly about: string;
  /** May be given several times. */
  readonly many?: boolean;
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag>>;

/** The values given for a table of flags: texts, lists of texts, or booleans. */
export type Given<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends { many: true } ? readonly string[]
    : F[K] extends { value: string } ? string | undefined
    : boolean;
};

/** What a command is called with. */
export interface Call<F extends Flags> {
  readonly given: Given<F>;
  /** The words that are no flags. */
  readonly words: readonly string[];
  /** The flags and words as they were typed. */
  readonly args: readonly string[];
  /** All commands. */
  readonly commands: CommandModules;
}

/** The module of a command. */
export interface CommandModule {
  readonly COMMAND: Command | CommandGroup;
}

/** The commands by name; each is loaded when it is called. */
export type CommandModules = Readonly<Record<string, () => Promise<CommandModule>>>;

/** What the help and the completions show of a command. */
export interface Described<F extends Flags = Flags> {
  readonly name: string;
  readonly about: string;
  readonly flags: F;
  readonly examples: readonly string[];
  /** What the words may be that are no flags: those of the first, of the second, ... Others are paths. Without it the command takes none. */
  readonly words?: readonly (readonly string[])[];
}

/**
 * A command. Its module imports nothing but what its help shows, so that help and wrong flags are answered at once; `run` imports
 * the rest.
 */
export interface Command<F extends Flags = Flags> extends Described<F> {
  /** Runs the command; returns its exit code if it is not 0. */
  run(call: Call<F>): Promise<number | void>;
}

/** A command of commands: the first word says which. */
export interface CommandGroup extends Described {
  readonly subcommands: Readonly<Record<string, Command>>;
}

/** Completes the types of a command. */
export function command<const F extends Flags>(described: Command<F>): Command<F> {
  return described;
}

/** Flags that every command has. */
export const COMMON = {
  help: { about: "print this" },
  debug: { about: "print the stack trace of an error" },
} as const satisfies Flags;

/**
 * Runs a command, or prints its help. Returns the exit code.
 *
 * @throws {UsageError} as `readFlags`; if there are words and the command takes none; if there is no subcommand of the first word
 */
export async function runCommand(
  described: Command | CommandGroup,
  args: readonly string[],
  commands: CommandModules = {},
): Promise<number> {
  if ("subcommands" in described) {
    const [word = "", ...rest] = args, { name, subcommands } = described, names = Object.keys(subcommands);
    if (word !== "" && !word.startsWith("-")) {
      if (Object.hasOwn(subcommands, word)) return await runCommand(subcommands[word], rest, commands);
      throw new UsageError(`There is no command "${name} ${word}"${suggestion(word, names)}`);
    }
    if (readFlags(args, described) === "help") return 0;
    throw new UsageError(`${name} needs a command (valid: ${names.join(", ")})`);
  }
  const read = readFlags(args, described);
  if (read === "help") return 0;
  if (read.words.length > 0 && !described.words) {
    const [word] = read.words, flag = word.replace(/^[\p{Pd}\u2212]+/u, "--");
    const way = flag === word ? " (see --help)" : `; its dash is not that of the keyboard: write ${flag}`;
    throw new UsageError(`${described.name} takes flags only, got "${word}"${way}`);
  }
  return await described.run({ ...read, args, commands }) ?? 0;
}

/**
 * Reads the flags of a command, or prints its help.
 *
 * @throws {UsageError} if a flag is unknown, with the nearest valid one; if a value is missing or given twice
 */
export function readFlags<F extends Flags>(
  args: readonly string[],
  described: Described<F>,
): { given: Given<F>; words: readonly string[] } | "help" {
  const flags: Flags = { ...described.flags, ...COMMON }, values = new Map<string, string[]>(), words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === "--") {
      words.push(...args.slice(at + 1).map((word) => withoutTilde(word)));
      break;
    }
    if (!arg.startsWith("-")) {
      words.push(withoutTilde(arg));
      continue;
    }
    const [written] = arg === "-h" ? ["--help"] : arg.split("=", 1),
      name = written.slice(2),
      text = arg.slice(written.length + 1);
    if (!written.startsWith("--") || !Object.hasOwn(flags, name)) {
      throw new UsageError(`${described.name} has no flag ${written}${nearest(written, flags)} (--help lists all)`);
    }
    const isAlone = !arg.includes("="), takesNext = isAlone && flags[name].value !== undefined && isValue(args[at + 1]);
    if (!isAlone && flags[name].value === undefined) throw new UsageError(`--${name} takes no value, got ${arg}`);
    values.set(name, [...values.get(name) ?? [], takesNext ? args[++at] : text]);
  }
  if (values.has("help")) {
    print(...helpText(described, flags));
    return "help";
  }
  const given = Object.entries(flags).map(([name, flag]) => [name, givenValue(name, flag, values.get(name))]);
  return { given: Object.fromEntries(given), words };
}

/** Whether a word is the value of the flag before it: it is no flag, but may be a negative number. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (!word.startsWith("-") || /^-\d/.test(word));
}

/** What was given for a flag: whether a switch is there, a text, or the list of all texts. */
function givenValue(name: string, { value, many }: Flag, texts: readonly string[] | undefined) {
  if (value === undefined) return texts !== undefined;
  texts?.forEach((text) => withoutTilde(text, `--${name} `));
  if (texts?.includes("")) throw new UsageError(`--${name} needs a value: --${name} ${value}`);
  if (many) return checkedNames(name, value, texts ?? []);
  if (texts && texts.length > 1) {
    throw new UsageError(`--${name} can be given only once, got ${texts.join(" and ")}`);
  }
  return texts?.[0];
}

/**
 * Returns a word that was typed. Shells put the home folder in place of `~` only where it is neither quoted nor behind a "=".
 *
 * @param flag the flag that it is the value of, with a space
 * @throws {UsageError} if it begins with `~`, which would be a folder of that name
 */
function withoutTilde(word: string, flag = ""): string {
  const [, before = "", path] = /^([\w-]+=)?~((?:[\\/].*)?)$/s.exec(word) ?? [];
  if (path === undefined) return word;
  const meant = `${flag}${before}`, folder = `${meant}./~${path}`;
  throw new UsageError(
    `Cannot use ${flag}${word}: the shell has left ~ as it is; write ${meant}$HOME${path}, or ${folder} for a folder named ~`,
  );
}

/** Checks that of several NAME=VALUE each has another name: the last one would count, and nobody would see it. */
function checkedNames(flag: string, value: string, texts: readonly string[]): readonly string[] {
  if (!value.includes("=")) return texts;
  const names = texts.map((text) => text.split("=")[0].trim());
  const doubled = names.findIndex((one, i) => names.indexOf(one) < i);
  if (doubled < 0) return texts;
  const first = texts[names.indexOf(names[doubled])];
  throw new UsageError(`--${flag} can be given only once for ${names[doubled]}, got ${first} and ${texts[doubled]}`);
}

/**
 * Returns a given name, if it is a known one.
 *
 * @param what says in the error what the names are
 * @throws {UsageError} if it is none of them, with the nearest one
 */
export function oneOf<const T extends string>(what: string, given: string, known: readonly T[]): T {
  const name = known.find((name) => name === given);
  if (name === undefined) throw new UsageError(`There is no ${what} "${given}"${suggestion(given, known)}`);
  return name;
}

/** How many flags the error of an unknown one names. */
const NEAREST = 3;

/** Names the flags that an unknown one may mean. */
function nearest(written: string, flags: Flags): string {
  const meant = alike(written.replace(/^-+/, ""), Object.keys(flags));
  const listed = meant.slice(0, NEAREST).map((name) => `--${name}`).join(", ");
  return listed && `; nearest: ${listed}`;
}

function helpText({ about, examples }: Described, flags: Flags): string[] {
  const left = Object.entries(flags).map(([name, { value }]) => `  --${name}${value ? ` ${value}` : ""}`);
  const width = Math.max(...left.map((text) => text.length)) + 2;
  const lines = Object.values(flags).map(({ about }, i) => left[i].padEnd(width) + about);
  const indented = examples.map((example) => `  ${example}`);
  return [about, "", "Flags, with defaults in parentheses:", ...lines, "", "Examples:", ...indented];
}
