/** `deno task merge`: joins the folders of all shards into one data set. */
import { forceFlag, quietFlag, sayer } from "./flags/common_flags.ts";
import { readFlags, UsageError } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { inspectParts } from "../runs/inspect_parts.ts";
import { mergeParts } from "../runs/merge_parts.ts";

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "merge",
  about:
    "Joins shards of synth into one data set: merge DIR... --out DIR. Nothing is renumbered; files are hard links " +
    "where the disk has them, copies elsewhere. If the shards are not the whole run, it writes nothing and names what is missing.",
  flags: {
    out: { value: "DIR", about: "where the data set goes" },
    ...forceFlag,
    ...quietFlag,
  },
  examples: ["deno task merge shard-1 shard-2 shard-3 --out digits"],
  run: mergeCommand,
} as const;

/** Runs `merge`; returns the exit code. */
export async function mergeCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  const { given: { out, force, quiet }, rest: folders } = read;
  if (folders.length === 0 || out === undefined) {
    throw new UsageError("merge needs folders and --out: merge DIR... --out DIR");
  }
  const inspection = await inspectParts(folders);
  if (!inspection.hasAll) {
    for (const line of inspection.lines) print(line);
    if (inspection.commands.length > 0) print("To make what is missing:");
    for (const command of inspection.commands) print(command);
    throw new Error(`Cannot merge ${folders.join(", ")}: together they are no whole run`);
  }
  const { count, parts } = await mergeParts(inspection.folders, out, force);
  sayer(quiet)(`${out}: ${count} images in ${parts.length} parts`);
  return 0;
}
