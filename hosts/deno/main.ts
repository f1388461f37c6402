// The command line: `deno task NAME` runs this file with the command's name and its flags.
import configuration from "../../deno.json" with { type: "json" };
import type { CommandModule, CommandModules } from "./commands/flags/candidates.ts";
import { exitCode } from "./commands/flags/exit_code.ts";
import { oneOf, UsageError } from "./commands/flags/flags.ts";
import { print } from "./system/printable.ts";

/** The commands. Each is loaded when it is called, so that none waits for the modules of another. */
const COMMANDS: CommandModules = {
  synth: () => import("./commands/synth.ts"),
  worker: () => import("./commands/worker.ts"),
  assess: () => import("./commands/assess.ts"),
  compare: () => import("./commands/compare.ts"),
  tune: () => import("./commands/tune.ts"),
  ablate: () => import("./commands/ablate.ts"),
  worth: () => import("./commands/worth.ts"),
  restore: () => import("./commands/restore.ts"),
  reproduce: () => import("./commands/reproduce.ts"),
  merge: () => import("./commands/merge.ts"),
  verify: () => import("./commands/verify.ts"),
  forget: () => import("./commands/forget.ts"),
  pack: () => import("./commands/pack.ts"),
  unpack: () => import("./commands/unpack.ts"),
  demo: () => import("./commands/demo.ts"),
  plugin: () => import("./commands/plugin.ts"),
  profile: () => import("./commands/profile.ts"),
  data: () => import("./commands/data.ts"),
  completions: () => import("./commands/completions.ts"),
};

/** Runs a command line, the command's name and its flags, and returns its exit code. */
export function run(words: readonly string[]): Promise<number> {
  const names = Object.keys(COMMANDS), [name, ...args] = helpLast(words);
  return exitCode(args, async (args) => {
    if (name === undefined) {
      throw new UsageError(`Cannot run without a command: expected ${names.join(", ")} (each with --help)`);
    }
    if (name === "--help" || name === "-h") {
      print(help(names));
      return 0;
    }
    const { COMMAND }: CommandModule = await COMMANDS[oneOf("command", name, names)]();
    // What completions offer are the flags of the other commands.
    return await COMMAND.run(args, COMMANDS);
  });
}

/** Returns `help synth` as `synth --help`, and `help` as `--help`. */
function helpLast(words: readonly string[]): readonly string[] {
  return words[0] === "help" ? [...words.slice(1), "--help"] : words;
}

/** The list of commands. A compiled program is called by its name, a checkout by its tasks. */
function help(names: readonly string[]): string {
  const { version, tasks } = configuration, call = Deno.build.standalone ? "patchloom" : "deno task";
  const width = Math.max(...names.map((name) => name.length));
  return [
    `patchloom ${version}: image synthesis by randomized patch-matching`,
    "",
    `Usage: ${call} COMMAND [FLAGS]; ${call} COMMAND --help lists the flags`,
    "",
    ...names.map((name) => `  ${name.padEnd(width)}  ${tasks[name as keyof typeof tasks].description}`),
  ].join("\n").replaceAll("deno task", call);
}

// Otherwise the process would wait for terminated workers in which a plugin never ends.
if (import.meta.main) Deno.exit(await run(Deno.args));
