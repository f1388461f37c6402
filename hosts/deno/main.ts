// The command line: `deno task NAME` runs this file with the command's name and its flags.
import { suggestion } from "../../core/options.ts";
import { exitCode } from "./cli/exit_code.ts";
import { UsageError } from "./cli/flags.ts";

/** The commands. Each is loaded when it is called, so that none waits for the modules of another. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  synth: async (args) => (await import("./commands/synth.ts")).synthCommand(args),
  assess: async (args) => (await import("./commands/assess.ts")).assessCommand(args),
  compare: async (args) => (await import("./commands/compare.ts")).compareCommand(args),
  tune: async (args) => (await import("./commands/tune.ts")).tuneCommand(args),
  ablate: async (args) => (await import("./commands/ablate.ts")).ablateCommand(args),
  restore: async (args) => (await import("./commands/restore.ts")).restoreCommand(args),
  reproduce: async (args) => (await import("./commands/reproduce.ts")).reproduceCommand(args),
  pack: async (args) => (await import("./commands/pack.ts")).packCommand(args),
  unpack: async (args) => (await import("./commands/unpack.ts")).unpackCommand(args),
  demo: async (args) => (await import("./commands/demo.ts")).demoCommand(args),
  plugin: async (args) => (await import("./commands/plugin.ts")).pluginCommand(args),
  profile: async (args) => (await import("./commands/profile.ts")).profileCommand(args),
  data: async (args) => (await import("./commands/data.ts")).dataCommand(args),
};

const names = Object.keys(COMMANDS), [name, ...args] = Deno.args;
const code = await exitCode(args, async (args) => {
  if (name === undefined) {
    throw new UsageError(`Cannot run without a command: expected ${names.join(", ")} (each with --help)`);
  }
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`There is no command "${name}"${suggestion(name, names)}`);
  return await COMMANDS[name](args);
});
// Otherwise the process would wait for terminated workers in which a plugin never ends.
Deno.exit(code);
