/** `deno task fill`: fills a hole in a picture from its own surroundings. */
import { maskNames } from "../../../pipelines/restoration/degradation.ts";
import { commandLine } from "../system/command_line.ts";
import { forceFlag, quietFlag, readSeed } from "./flags/common_flags.ts";
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The most fillings of a picture. */
const MAX_COUNT = 1000;

/** The command. */
export const COMMAND = command({
  name: "fill",
  about:
    "Fills a hole in a picture from its own surroundings: fill PICTURE --mask MASK. What is painted over is gone; all else stays.",
  flags: {
    mask: {
      value: "FILE|NAME",
      about: `what is to go: white in a picture of the same size; to try it: ${maskNames.join(", ")}`,
    },
    count: { value: "N", about: "how many fillings, each another one (1)" },
    map: {
      value: "NAME=PATH",
      many: true,
      about:
        "fill a map of the picture, too, from the same places, such as height=height.png, a PNG of 8 or 16 bits; several times for more",
    },
    seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
    out: { value: "DIR", about: "where the results go (out/fill)" },
    ...forceFlag,
    ...quietFlag,
  },
  examples: [
    "deno task fill photo.jpg --mask mask.png",
    "deno task fill wall.png --mask mask.png --map height=height.png --count 4 --out out/wall",
  ],
  words: [],
  async run({ given, words: [path, ...more], args }) {
    if (more.length > 0) throw new UsageError(`fill takes one picture, got ${[path, ...more].join(" and ")}`);
    if (path === undefined || given.mask === undefined) {
      throw new UsageError("fill needs a picture and --mask: fill PICTURE --mask MASK");
    }
    const request = {
      path,
      mask: given.mask,
      count: wholeNumber("count", given.count ?? "1", 1, MAX_COUNT),
      maps: given.map,
      seed: readSeed(given.seed),
      out: given.out ?? "out/fill",
      force: given.force,
      quiet: given.quiet,
      command: commandLine("deno task fill", args),
    };
    const { fillPicture } = await needed<typeof import("../restorations/fill_picture.ts")>(
      "restorations/fill_picture.ts",
    );
    await fillPicture(request);
  },
});
