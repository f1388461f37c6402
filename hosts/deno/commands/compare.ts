/** `deno task compare`: compares priors, contexts and z-steps on the same seed images. */
import { commandLine } from "../system/command_line.ts";
import { sizeFlag } from "./flags/common_flags.ts";
import { experimentFlags, readExperimentFlags, readResultFlags } from "./flags/experiment_flags.ts";
import { command, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "compare",
  about: "Compares priors, contexts and z-steps on the same seed images, or denoisers on the same noise.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about:
        "what to synthesize: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, digits-paper, faces-paper, or a profile of your own",
    },
    ...sizeFlag,
    count: { value: "N", about: "images of each variant (100)" },
    prior: {
      value: "NAME",
      many: true,
      about: "a prior to compare, beside denoisers one of the paper's method; several times for more (all priors)",
    },
    denoiser: {
      value: "NAME",
      many: true,
      about: "a denoiser to compare from noise, in place of priors; several times for more",
    },
    row: {
      value: "TEXT",
      many: true,
      about:
        'with --denoiser: make this row of the table only, such as "local-score, draw one"; several times for more',
    },
    data: {
      value: "PATH",
      about: "training and test images: IDX, NPY, NPZ, Parquet or WebDataset files, or a folder of pictures",
    },
    ...experimentFlags("compare"),
  },
  examples: [
    "deno task compare --profile digits --class 3",
    "deno task compare --profile digits --count 500 --prior local-nn --prior spatially-invariant",
    "deno task compare --profile digits --class 3 --denoiser local-score --denoiser wiener",
    'deno task compare --profile digits --count 20 --denoiser local-score --row "local-score, draw one"',
  ],
  async run({ given, args }) {
    const request = {
      ...readExperimentFlags(given),
      ...readResultFlags(given, commandLine("deno task compare", args)),
      priors: given.prior,
      denoisers: given.denoiser,
      rows: given.row,
      count: wholeNumber("count", given.count ?? "100", 1, 100_000),
      data: given.data,
      class: given.class,
    };
    const { compareProfile } = await needed<typeof import("../experiments/compare.ts")>("experiments/compare.ts");
    await compareProfile(request);
  },
});
