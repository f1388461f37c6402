/** `deno task reproduce`: runs the paper's experiment and writes one HTML report. */
import { commandLine } from "../system/command_line.ts";
import { forceFlag, quietFlag, readSeed, readThreads, threadsFlag } from "./flags/common_flags.ts";
import { command, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The experiments of the paper. */
const EXPERIMENTS = ["digits", "faces"];

/** The command. */
export const COMMAND = command({
  name: "reproduce",
  about: "Runs the paper's experiment on digits or faces and writes its tables and figures as one HTML report.",
  flags: {
    limit: { value: "N", about: "only the first N seed images, for a quick look" },
    data: {
      value: "PATH",
      about:
        "training and test images: IDX, NPY, NPZ, Parquet or WebDataset files, or a folder of pictures; the entry few of a profile is ignored",
    },
    seed: { value: "N", about: "random seed (1)" },
    resume: { about: "resume an interrupted run: keep the images and scores that it finished" },
    out: { value: "DIR", about: "where report.html goes (out/reproduce-PROFILE)" },
    ...forceFlag,
    ...threadsFlag("numbers"),
    ...quietFlag,
  },
  examples: [
    "deno task reproduce digits --limit 200",
    "deno task reproduce faces --resume",
  ],
  words: [EXPERIMENTS],
  async run({ given, words: [name, ...more], args }) {
    if (name === undefined || more.length > 0) {
      throw new UsageError(`reproduce takes one profile: ${EXPERIMENTS.join(" or ")}`);
    }
    const request = {
      name: oneOf("experiment", name, EXPERIMENTS),
      limit: given.limit === undefined ? Infinity : wholeNumber("limit", given.limit, 1, 1e6),
      seed: readSeed(given.seed),
      data: given.data,
      out: given.out,
      resume: given.resume,
      force: given.force,
      threads: readThreads(given.threads),
      quiet: given.quiet,
      command: commandLine("deno task reproduce", args),
    };
    const { reproducePaper } = await needed<typeof import("../experiments/reproduce.ts")>("experiments/reproduce.ts");
    await reproducePaper(request);
  },
});
