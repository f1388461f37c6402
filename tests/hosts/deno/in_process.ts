/** Runs commands in this process, where their errors are thrown as they are. */
import { COMMAND as DATA, dataGroup, type DataSetting } from "../../../hosts/deno/commands/data.ts";
import { runCommand } from "../../../hosts/deno/commands/flags/flags.ts";
import { COMMANDS } from "../../../hosts/deno/main.ts";

/** Runs a command with arguments; returns its exit code. */
export type CalledCommand = (args: readonly string[]) => Promise<number>;

/** Makes a function that runs a command. */
export function commandOf(name: string): CalledCommand {
  return async (args) => await runCommand((await COMMANDS[name]()).COMMAND, args, COMMANDS);
}

/** Runs `data` in other surroundings. */
export function dataCommand(args: readonly string[], setting?: Partial<DataSetting>): Promise<number> {
  return runCommand(setting ? dataGroup(setting) : DATA, args);
}
