// The command line: `deno task NAME` runs this file with the command's name and its flags.
import { suggestion } from "../../core/registry.ts";
import { dataCommand } from "./data_command.ts";
import { UsageError } from "./flags.ts";
import { synthCommand } from "./synth_command.ts";

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  synth: synthCommand,
  data: dataCommand,
};

const [name = "", ...args] = Deno.args;
try {
  const command = COMMANDS[name];
  if (!command) throw new UsageError(`There is no command "${name}"${suggestion(name, Object.keys(COMMANDS))}`);
  Deno.exitCode = await command(args);
} catch (error) {
  console.error(args.includes("--debug") ? error : error instanceof Error ? error.message : String(error));
  Deno.exitCode = error instanceof UsageError ? 2 : 1;
}
