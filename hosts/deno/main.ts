// The command line: `deno task NAME` runs this file with the command's name and its flags.
import { suggestion } from "../../core/options.ts";
import type { CommandModule, CommandModules } from "./cli/candidates.ts";
import { exitCode } from "./cli/exit_code.ts";
import { UsageError } from "./cli/flags.ts";

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
export function run([name, ...args]: readonly string[]): Promise<number> {
  const names = Object.keys(COMMANDS);
  return exitCode(args, async (args) => {
    if (name === undefined) {
      throw new UsageError(`Cannot run without a command: expected ${names.join(", ")} (each with --help)`);
    }
    if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`There is no command "${name}"${suggestion(name, names)}`);
    const { COMMAND }: CommandModule = await COMMANDS[name]();
    // What completions offer are the flags of the other commands.
    return await COMMAND.run(args, COMMANDS);
  });
}

// Otherwise the process would wait for terminated workers in which a plugin never ends.
if (import.meta.main) Deno.exit(await run(Deno.args));
