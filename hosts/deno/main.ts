// The command line: `deno task NAME` runs this file with the command's name and its flags.
import { suggestion } from "../../core/registry.ts";
import { exitCode } from "./exit_code.ts";
import { UsageError } from "./flags.ts";

/** Commands are loaded when they are called: none waits for what another one needs. */
const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  synth: async (args) => (await import("./synth_command.ts")).synthCommand(args),
  assess: async (args) => (await import("./assess_command.ts")).assessCommand(args),
  compare: async (args) => (await import("./compare_command.ts")).compareCommand(args),
  restore: async (args) => (await import("./restore_command.ts")).restoreCommand(args),
  reproduce: async (args) => (await import("./reproduce_command.ts")).reproduceCommand(args),
  pack: async (args) => (await import("./pack_command.ts")).packCommand(args),
  unpack: async (args) => (await import("./unpack_command.ts")).unpackCommand(args),
  demo: async (args) => (await import("./demo_command.ts")).demoCommand(args),
  plugin: async (args) => (await import("./plugin_command.ts")).pluginCommand(args),
  profile: async (args) => (await import("./profile_command.ts")).profileCommand(args),
  data: async (args) => (await import("./data_command.ts")).dataCommand(args),
};

const names = Object.keys(COMMANDS), [name, ...args] = Deno.args;
const code = await exitCode(args, async (args) => {
  if (name === undefined) throw new UsageError(`Say what to do: ${names.join(", ")} (each with --help)`);
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`There is no command "${name}"${suggestion(name, names)}`);
  return await COMMANDS[name](args);
});
// Without this the process would wait for workers that were told to end and spin in a plugin.
Deno.exit(code);
