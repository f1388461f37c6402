/** The flags of commands that name paths. */
import type { Described, Flags } from "../../../hosts/deno/commands/flags/flags.ts";
import { COMMANDS } from "../../../hosts/deno/main.ts";

/** All commands; those of groups by both of their words, such as `data import`. */
export async function allCommands(): Promise<Described[]> {
  const loaded = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return loaded.flatMap(({ COMMAND }): Described[] => {
    return "subcommands" in COMMAND ? Object.values(COMMAND.subcommands) : [COMMAND];
  });
}

/** The flags of a command that name what is read, such as `synth --data`. */
export function pathFlags({ name, flags }: { readonly name: string; readonly flags: Flags }): string[] {
  return Object.entries(flags).flatMap(([flag, { value = "" }]) => {
    return /PATH|FILE|DIR|SPEC/.test(value) && !["out", "folder"].includes(flag) ? [`${name} --${flag}`] : [];
  });
}
