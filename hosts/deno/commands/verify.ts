/** `deno task verify`: proves that folders of parts are a whole data set, or names what is missing, double or broken. */
import { print, printMessage } from "../system/printable.ts";
import { command, UsageError } from "./flags/flags.ts";
import { needed } from "./flags/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "verify",
  about:
    "Checks synthesized data sets: verify DIR... proves that every image is there once and every file is as it was " +
    "written, or names what is missing, double, broken or unfinished, with the commands that make it. Exit code 1 then.",
  flags: { quiet: { about: "print nothing about what is right" } },
  examples: ["deno task verify digits", "deno task verify shard-1 shard-2 shard-3"],
  words: [],
  async run({ given, words: folders }) {
    if (folders.length === 0) throw new UsageError("verify needs a folder: verify DIR...");
    const { inspectParts } = await needed<typeof import("../runs/inspect_parts.ts")>("runs/inspect_parts.ts");
    const { isWhole, lines, commands, folders: [{ record }] } = await inspectParts(folders);
    if (isWhole) {
      if (!given.quiet) print(`Whole: ${record.settings.count} images, each once; all checksums are right`);
      return;
    }
    for (const line of lines) print(line);
    if (commands.length > 0) print("To make what is missing:");
    for (const command of commands) print(command);
    printMessage(`Not whole: ${folders.join(", ")}`);
    return 1;
  },
});
