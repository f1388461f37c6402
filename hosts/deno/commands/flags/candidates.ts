/** What may follow the words of a command line, for completions: commands, subcommands, flags, and the values of flags. */
import type { Kinds } from "../../../../core/plugin.ts";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { maskNames, tasks } from "../../../../pipelines/restoration/degradation.ts";
import { CLASSIFIERS, REAL, SOURCES } from "../../../../pipelines/worth/names.ts";
import { builtins } from "../../../../plugins/mod.ts";
import configuration from "../../../../deno.json" with { type: "json" };
import { type CommandModules, COMMON, type Flag } from "./flags.ts";

/** A word that may follow. */
export interface Candidate {
  readonly name: string;
  readonly description: string;
}

/** Values of the flags that take a NAME or METRIC. */
const NAMES: Readonly<Record<string, () => readonly Candidate[]>> = {
  profile: () => Object.keys(profiles).map(plain),
  prior: () => plugins("prior"),
  context: () => [...plugins("context"), plain("none")],
  metric: () => [...plugins("metric"), plain("all")],
  objective: () => plugins("metric"),
  classifier: () => Object.entries(CLASSIFIERS).map(([name, description]) => ({ name, description })),
  method: () => [plain(REAL), ...Object.entries(SOURCES).map(([name, description]) => ({ name, description }))],
  task: () => tasks.map(plain),
  mask: () => maskNames.map(plain),
};

/**
 * Lists what may stand in place of the last of `words`. These are the words after the program's name; the last one is what is typed so
 * far, and may be empty. Returns "files" where a path is expected, or anything that has no list.
 */
export async function candidates(
  words: readonly string[],
  commands: CommandModules,
): Promise<readonly Candidate[] | "files"> {
  const typed = words.at(-1) ?? "", [name, ...rest] = words;
  const beginning = (list: readonly Candidate[]) => list.filter((candidate) => candidate.name.startsWith(typed));
  if (rest.length === 0) return beginning(commandNames());
  if (!Object.hasOwn(commands, name)) return "files";
  const { COMMAND } = await commands[name](), subcommands = "subcommands" in COMMAND ? COMMAND.subcommands : undefined;
  if (subcommands && rest.length === 1) {
    return beginning(Object.entries(subcommands).map(([name, { about }]) => ({ name, description: about })));
  }
  if (subcommands && !Object.hasOwn(subcommands, rest[0])) return "files";
  const table = subcommands ? subcommands[rest[0]] : COMMAND, given = rest.slice(subcommands ? 1 : 0, -1);
  const flags: Readonly<Record<string, Flag>> = { ...table.flags, ...COMMON };
  const flagOf = (word = "") => word.startsWith("--") ? flags[word.slice(2)] : undefined;

  const before = given.at(-1), valued = flagOf(before);
  if (valued?.value !== undefined) {
    const listed = beginning(valuesOf(before!.slice(2), valued.value));
    return listed.length === 0 && /PATH|FILE|DIR|SPEC/.test(valued.value) ? "files" : listed;
  }
  if (typed.startsWith("-")) {
    const left = Object.entries(flags).filter(([name, { many }]) => many || !given.includes(`--${name}`));
    return beginning(left.map(([name, { about }]) => ({ name: `--${name}`, description: about })));
  }
  // Words that are neither flags nor their values.
  const position = given.filter((word, n) => !word.startsWith("-") && flagOf(given[n - 1])?.value === undefined).length;
  return table.words?.[position] ? beginning(table.words[position].map(plain)) : "files";
}

/** The commands that users call: those of the command line. Other tasks build the project. */
function commandNames(): Candidate[] {
  return Object.entries(configuration.tasks)
    .filter(([, { command }]) => command.includes(" hosts/deno/main.ts "))
    .map(([name, { description }]) => ({ name, description: description.split(/:| \(/)[0] }));
}

/** The values of a flag that its help lists ("x|y|both"), and the names that it takes. Words in capitals stand for values. */
function valuesOf(flag: string, value: string): Candidate[] {
  const words = value.split("|").filter((word) => /^[a-z]/.test(word)).map(plain);
  return [...NAMES[flag]?.() ?? [], ...words];
}

function plugins(kind: keyof Kinds): Candidate[] {
  return builtins.plugins.filter((plugin) => plugin.kind === kind).map(({ name, about }) => {
    return { name, description: about };
  });
}

function plain(name: string): Candidate {
  return { name, description: "" };
}
