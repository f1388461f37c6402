// The command line: `deno task NAME` runs this file with the command's name and its flags.
import { suggestion } from "../../core/registry.ts";
import { dataCommand } from "./data_command.ts";
import { UsageError } from "./flags.ts";
import { synthCommand } from "./synth_command.ts";

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  synth: synthCommand,
  data: dataCommand,
};

const names = Object.keys(COMMANDS), [name, ...args] = Deno.args;
try {
  if (name === undefined) throw new UsageError(`Say what to do: ${names.join(", ")} (each with --help)`);
  if (!Object.hasOwn(COMMANDS, name)) throw new UsageError(`There is no command "${name}"${suggestion(name, names)}`);
  Deno.exitCode = await COMMANDS[name](args);
} catch (error) {
  // The runtime's own messages, which are quoted in ours, may go over several lines.
  const sentence = (error instanceof Error ? error.message : String(error)).replace(/\s*[\r\n]\s*/g, " ");
  console.error(args.includes("--debug") ? error : sentence);
  Deno.exitCode = error instanceof UsageError ? 2 : 1;
}
