// The command line: `deno task NAME` runs this file with the command's name and its flags.
import configuration from "../../deno.json" with { type: "json" };
import { exitCode } from "./commands/flags/exit_code.ts";
import { type CommandModule, type CommandModules, oneOf, runCommand, UsageError } from "./commands/flags/flags.ts";
import { needed } from "./system/needed.ts";
import { print } from "./system/printable.ts";
import { giveUpRights } from "./system/rights.ts";

/** The tasks of deno.json that run this file: each has the name of a command, whose module is in `commands/`. */
const TASKS = Object.entries(configuration.tasks).filter(([name, { command }]) => {
  return command.endsWith(` hosts/deno/main.ts ${name}`);
});
const NAMES = TASKS.map(([name]) => name);

/** The commands by name. */
export const COMMANDS: CommandModules = Object.fromEntries(
  NAMES.map((name) => [name, () => needed<CommandModule>(`commands/${name}.ts`)]),
);

/** What asks for the version. */
const VERSION_WORDS = ["--version", "-V", "version"];

/** Runs a command line, the command's name and its flags, and returns its exit code. */
export function run(words: readonly string[]): Promise<number> {
  const [name, ...args] = helpLast(words);
  return exitCode(args, async (args) => {
    if (name === undefined) {
      throw new UsageError(`Cannot run without a command: expected ${NAMES.join(", ")} (each with --help)`);
    }
    if (name === "--help" || name === "-h") {
      print(...help());
      return 0;
    }
    if (VERSION_WORDS.includes(name)) {
      print(`patchloom ${configuration.version}`);
      return 0;
    }
    const { COMMAND } = await COMMANDS[oneOf("command", name, NAMES)]();
    return await runCommand(COMMAND, args, COMMANDS);
  });
}

/** Returns `help synth` as `synth --help`, and `help` as `--help`. */
function helpLast(words: readonly string[]): readonly string[] {
  return words[0] === "help" ? [...words.slice(1), "--help"] : words;
}

/** The list of commands. A compiled program is called by its name, a checkout by its tasks. */
function help(): string[] {
  const call = Deno.build.standalone ? "patchloom" : "deno task";
  const width = Math.max(...NAMES.map((name) => name.length));
  return [
    `patchloom ${configuration.version}: image synthesis by randomized patch-matching`,
    "",
    `Usage: ${call} COMMAND [FLAGS]; ${call} COMMAND --help lists the flags`,
    "",
    ...TASKS.map(([name, { description }]) => `  ${name.padEnd(width)}  ${description}`),
  ].map((line) => line.replaceAll("deno task", call));
}

if (import.meta.main) {
  const [name = ""] = helpLast(Deno.args);
  if (NAMES.includes(name)) giveUpRights(name);
  // Otherwise the process would wait for terminated workers in which a plugin never ends.
  Deno.exit(await run(Deno.args));
}
