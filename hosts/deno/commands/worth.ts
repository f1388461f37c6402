/** `deno task worth`: measures what synthetic images teach classifiers. */
import {
  type ClassifierName,
  CLASSIFIERS,
  readMethod,
  SOURCES,
  USUAL_METHODS,
} from "../../../pipelines/worth/names.ts";
import { commandLine } from "../system/command_line.ts";
import { asRequest } from "../system/request_error.ts";
import { readSeed, readThreads } from "./flags/common_flags.ts";
import { computingFlags, readResultFlags, resultFlags } from "./flags/experiment_flags.ts";
import { command, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The command. */
export const COMMAND = command({
  name: "worth",
  about:
    "Measures what synthetic images teach classifiers, compared with real images and with usual data augmentation.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about: "what synthesizes: digits, or a profile of your own for images with classes",
    },
    data: {
      value: "PATH",
      about:
        "training and test images with classes: IDX, NPY, NPZ, Parquet or WebDataset files, or a folder of pictures",
    },
    each: {
      value: "N,N,...|none",
      about: "real images of each class to learn from; none: only with --only (5,10,20,50,100)",
    },
    added: { value: "N", about: "images that a method adds to each class (100)" },
    method: {
      value: "NAME",
      many: true,
      about: `what to learn from: real images alone (real), or with images of ${Object.keys(SOURCES).join(", ")}; ` +
        "joined by +, they add equal shares; several times for more (most of them, and some joined)",
    },
    classifier: { value: "NAME", many: true, about: "nearest, linear, svm or gradients; several times for more (all)" },
    only: { value: "N", about: "also learn from N synthetic images alone, made from all training images (0: do not)" },
    images: {
      value: "PATH",
      about:
        "with --only: learn from N of these images in each draw, in place of images that are made; a folder that synth wrote, pictures in folders by class, or a file of many with classes",
    },
    labels: { value: "FILE", about: "classes of --images: an IDX or NPY file (the labels beside the file of images)" },
    draws: { value: "N", about: "how often to repeat it with other real images (10)" },
    tested: { value: "N", about: "test images of a draw (2000)" },
    "held-out": { about: "test on held-out training images instead of the test images, to choose settings" },
    set: { value: "NAME=VALUE", many: true, about: "change a value of the profile: prior.neighbours=auto" },
    resume: { about: "resume an interrupted run, or add draws to a finished one" },
    ...computingFlags("numbers", "random seed of draws and images (1)"),
    ...resultFlags("out/worth-PROFILE", "worth.json"),
  },
  examples: [
    "deno task worth --profile digits",
    "deno task worth --profile digits --each 10 --method real --method warps --method warps+patchloom --classifier svm",
    "deno task worth --profile digits --each none --only 3000",
    "deno task worth --profile digits --each none --only 3000 --images out/noise",
  ],
  async run({ given, args }) {
    if (given.labels !== undefined && given.images === undefined) {
      throw new UsageError("worth takes --labels with --images");
    }
    const measured = readMeasured(given);
    if (given.images !== undefined && measured.only === 0) {
      throw new UsageError(
        "Cannot use --images without --only: expected how many of them classifiers learn from alone",
      );
    }
    const options = {
      ...readResultFlags(given, commandLine("deno task worth", args)),
      profile: given.profile,
      set: given.set,
      data: given.data,
      images: given.images,
      labels: given.labels,
      measured,
      heldOut: given["held-out"],
      resume: given.resume,
      threads: readThreads(given.threads),
      quiet: given.quiet,
    };
    const { measureProfile } = await needed<typeof import("../experiments/worth.ts")>("experiments/worth.ts");
    await measureProfile(options);
  },
});

/** The most images that a flag asks for; `checkWorth` looks at what they come to. */
const MAX_IMAGES = 12_000;

/** The flags that say what is measured. */
interface MeasuredFlags {
  readonly each: string | undefined;
  readonly only: string | undefined;
  readonly method: readonly string[];
  readonly classifier: readonly string[];
  readonly draws: string | undefined;
  readonly added: string | undefined;
  readonly tested: string | undefined;
  readonly seed: string | undefined;
}

/** Reads what is to be measured. */
function readMeasured(given: MeasuredFlags) {
  const each = given.each === "none" ? [] : (given.each ?? "5,10,20,50,100").split(",").map((text) => {
    return wholeNumber("each", text, 1, MAX_IMAGES);
  });
  const only = wholeNumber("only", given.only ?? "0", 0, MAX_IMAGES);
  if (each.length === 0 && only === 0) {
    throw new UsageError("worth needs --only with --each none: otherwise it measures nothing");
  }
  const methods = given.method.length > 0 ? [...new Set(given.method)] : USUAL_METHODS;
  for (const name of methods) asRequest(() => readMethod(name));
  const names = Object.keys(CLASSIFIERS) as ClassifierName[];
  const classifiers = given.classifier.map((name) => oneOf("classifier", name, names));
  return {
    each: [...new Set(each)].sort((a, b) => a - b),
    only,
    methods,
    classifiers: classifiers.length > 0 ? [...new Set(classifiers)] : names,
    draws: wholeNumber("draws", given.draws ?? "10", 1, 1000),
    added: wholeNumber("added", given.added ?? "100", 1, MAX_IMAGES),
    tested: wholeNumber("tested", given.tested ?? "2000", 1, 100_000),
    seed: readSeed(given.seed),
  };
}
