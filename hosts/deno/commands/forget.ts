/** `deno task forget`: takes training images out of a finished run, as if they had never been there. */
import { pluginFlags, quietFlag, readThreads, threadsFlag } from "./flags/common_flags.ts";
import { command, UsageError } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "forget",
  about:
    "Takes training images out of a finished run: forget DIR --ids ID,... makes anew the images of a folder that depend " +
    "on them, and keeps the others. The folder is then byte-identical to that of a run without these training images.",
  flags: {
    ids: {
      value: "ID,...",
      many: true,
      about: "training images to forget: their numbers, as run.json has them, or the names of their files",
    },
    data: { value: "PATH", about: "path of all training images, if they were moved (where they were)" },
    "dry-run": { about: "print the numbers of the images that change, one a line, and change nothing" },
    prove: { about: "make the whole run anew without the training images, too, and compare every file" },
    "keep-fits": { about: "leave fits that were kept for later runs: they may hold pictures of the training images" },
    ...pluginFlags,
    ...threadsFlag("bytes"),
    ...quietFlag,
  },
  examples: [
    "deno task forget out/digits-paper --ids 17,4051",
    "deno task forget out/mine --ids cats/tom.png --dry-run",
    "deno task forget out/digits-paper --ids 17 --prove",
  ],
  words: [],
  async run({ given, words: [folder, ...others] }) {
    if (folder === undefined || others.length > 0 || given.ids.length === 0) {
      throw new UsageError("forget needs a folder and --ids: forget DIR --ids ID,...");
    }
    const request = {
      ...given,
      folder,
      dryRun: given["dry-run"],
      keepFits: given["keep-fits"],
      threads: readThreads(given.threads),
    };
    const { forget } = await needed<typeof import("../runs/forget.ts")>("runs/forget.ts");
    await forget(request);
  },
});
