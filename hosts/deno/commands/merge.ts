/** `deno task merge`: joins the folders of all shards into one data set. */
import { counted } from "../../../core/counted.ts";
import { messagePrinter, print } from "../system/printable.ts";
import { forceFlag, quietFlag } from "./flags/common_flags.ts";
import { command, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
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
  words: [],
  async run({ given: { out, force, quiet }, words: folders }) {
    if (folders.length === 0 || out === undefined) {
      throw new UsageError("merge needs folders and --out: merge DIR... --out DIR");
    }
    const { inspectParts } = await needed<typeof import("../runs/inspect_parts.ts")>("runs/inspect_parts.ts");
    const inspection = await inspectParts(folders);
    if (!inspection.hasAll) {
      for (const line of inspection.lines) print(line);
      if (inspection.commands.length > 0) print("To make what is missing:");
      for (const command of inspection.commands) print(command);
      throw new Error(`Cannot merge ${folders.join(", ")}: together they are no whole run`);
    }
    const { mergeParts } = await needed<typeof import("../runs/merge_parts.ts")>("runs/merge_parts.ts");
    const say = messagePrinter(quiet);
    const { count, parts } = await mergeParts(inspection.folders, out, force, say);
    say(`${out}: ${counted(count, "image")} in ${counted(parts.length, "part")}`);
  },
});
