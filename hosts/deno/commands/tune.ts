/** `deno task tune`: searches the settings of a profile on seed images of held-out training images. */
import { commandLine } from "../system/command_line.ts";
import { experimentFlags, heldOutData, readExperimentFlags, readResultFlags } from "./flags/experiment_flags.ts";
import { command, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "tune",
  about: "Searches settings of a profile and writes the best as profiles: the Pareto front of several scores.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about:
        "whose settings to search: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, digits-paper, faces-paper, or a profile of your own",
    },
    trials: { value: "N", about: "how many random settings to try (24)" },
    count: {
      value: "N",
      about:
        `images of a trial in the last of 3 rounds; each round before has half as many as the next (128 for each class)`,
    },
    objective: {
      value: "METRIC",
      many: true,
      about:
        "a score to improve; METRIC.least or METRIC.greatest: the least or the greatest value of an image; several times for more (likelihood, originality, judge, and spread from 1000 images of a class on)",
    },
    vary: {
      value: "NAME=RANGE",
      many: true,
      about:
        "a value of the profile to vary: prior.neighbours=5..30, layers.*.feather=0,2,4; several times for more (those that matter most for the profile's prior)",
    },
    resume: { about: "resume an interrupted search: keep what it measured" },
    data: heldOutData,
    ...experimentFlags("tune", "random seed of settings and images (1)"),
  },
  examples: [
    "deno task tune --profile faces --trials 24",
    "deno task tune --profile digits --class 3 --vary prior.neighbours=20..400 --vary seedNoise=0..0.06",
    "deno task tune --profile faces --objective judge --objective originality.least --resume",
  ],
  async run({ given, args }) {
    const request = {
      ...readExperimentFlags(given),
      ...readResultFlags(given, commandLine("deno task tune", args)),
      trials: wholeNumber("trials", given.trials ?? "24", 1, 10_000),
      count: given.count,
      objectives: given.objective,
      vary: given.vary,
      data: given.data,
      class: given.class,
      resume: given.resume,
    };
    const { tuneProfile } = await needed<typeof import("../experiments/tune.ts")>("experiments/tune.ts");
    await tuneProfile(request);
  },
});
