/** `deno task ablate`: switches the ideas of a profile off one at a time, and measures the difference. */
import { commandLine } from "../system/command_line.ts";
import { experimentFlags, heldOutData, readExperimentFlags, readResultFlags } from "./flags/experiment_flags.ts";
import { command, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "ablate",
  about: "Switches the ideas of a profile off one at a time, and measures what each contributes.",
  flags: {
    profile: { value: "NAME|FILE", about: "whose ideas to switch off: digits, faces, or a profile of your own" },
    baseline: {
      value: "NAME|FILE",
      about: "the profile that ideas are reset to (digits-paper for MNIST, faces-paper for faces)",
    },
    count: { value: "N", about: "images of each variant (100)" },
    data: heldOutData,
    ...experimentFlags("ablate"),
  },
  examples: [
    "deno task ablate --profile faces-relit --count 300",
    "deno task ablate --profile digits --class 2 --count 1000",
  ],
  async run({ given, args }) {
    const request = {
      ...readExperimentFlags(given),
      ...readResultFlags(given, commandLine("deno task ablate", args)),
      baseline: given.baseline,
      count: wholeNumber("count", given.count ?? "100", 1, 100_000),
      data: given.data,
      class: given.class,
    };
    const { ablateProfile } = await needed<typeof import("../experiments/ablate.ts")>("experiments/ablate.ts");
    await ablateProfile(request);
  },
});
