/** `deno task unpack`: prints the content of a pack, or writes its images as files. */
import { forceFlag } from "./flags/common_flags.ts";
import { command, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "unpack",
  about: "Writes the content of a pack as files: unpack FILE. Other commands take the folder as --data.",
  flags: {
    info: { about: "print the content of the pack, and write nothing" },
    out: { value: "DIR", about: "where the files go (the pack's name without .loom)" },
    png: { about: "the images as PNGs, in a folder for each class, instead of IDX files" },
    ...forceFlag,
    json: { about: "with --info: print JSON" },
    quiet: { about: "do not print what was written" },
  },
  examples: ["deno task unpack --info digits.loom", "deno task unpack digits.loom --out digits --png"],
  words: [],
  async run({ given, words: [path, ...more] }) {
    if (path === undefined) throw new UsageError("unpack needs a pack: unpack FILE.loom");
    if (more.length > 0) throw new UsageError(`unpack takes one file, got also "${more[0]}"`);
    if (given.json && !given.info) throw new UsageError("unpack takes --json with --info only");
    const { out = path.replace(/\.loom$/i, "") } = given;
    const { printPack, unpack } = await needed<typeof import("../packs/unpack.ts")>("packs/unpack.ts");
    await (given.info ? printPack(path, given.json) : unpack({ ...given, path, out }));
  },
});
