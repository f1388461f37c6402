/** `deno task restore`: super-resolution, inpainting and denoising with the ADMM of synthesis. */
import { maskNames, tasks } from "../../../pipelines/restoration/degradation.ts";
import { commandLine } from "../system/command_line.ts";
import { pluginFlags, sizeFlag } from "./flags/common_flags.ts";
import { computingFlags, readExperimentFlags, readResultFlags, resultFlags } from "./flags/experiment_flags.ts";
import { command, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The most images: `restore` holds all of them in memory. */
const MAX_IMAGES = 10_000;

/** The command. */
export const COMMAND = command({
  name: "restore",
  about: "Restores degraded images: super-resolution, inpainting, denoising.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about:
        "what the images are: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, digits-paper, faces-paper, a profile.json of your own, or a pack",
    },
    ...sizeFlag,
    task: { value: "NAME", about: `how the images were degraded: ${tasks.join(", ")}` },
    images: {
      value: "PATH",
      about:
        "clean images, to be degraded first: a picture, a folder of pictures, or a file of images: IDX, NPY, NPZ, Parquet, WebDataset (the test images)",
    },
    degraded: { value: "PATH", about: "images that are degraded already, instead of --images" },
    faces: {
      about:
        "inpaint: --degraded is a whole photograph of any size: find the eyes, restore the face, and put it back in its place",
    },
    labels: {
      value: "FILE",
      about: "classes of the images: an IDX or NPY file (the labels beside the file of images, if there are any)",
    },
    count: { value: "N", about: "how many of the images (16)" },
    factor: { value: "N", about: "superres: how many times larger the result is, a power of 2 (2)" },
    mask: {
      value: "NAME|FILE",
      about: `inpaint: the missing pixels: ${maskNames.join(", ")}, or the white pixels of a picture (quarter)`,
    },
    noise: { value: "X", about: "denoise: standard deviation of the noise, white being 1 (0.1)" },
    samples: {
      value: "N",
      about:
        "restorations of each image, drawn independently (4; with --z-step map or mean 1; with --denoiser 1, the best estimate)",
    },
    "z-step": {
      value: "sample|map|mean",
      about: "estimator of the z-step: a random patch, the likeliest one, or the mean (the profile's)",
    },
    class: {
      value: "NAME|all",
      about:
        "one class only, by its number or name; all: examples of all classes (the class of each image, if it is known)",
    },
    data: {
      value: "PATH",
      about:
        "training images: IDX, NPY, NPZ, Parquet or WebDataset files, a folder of pictures, or a pack, which has no test images",
    },
    prior: { value: "NAME", about: "another prior than the profile's" },
    denoiser: {
      value: "NAME",
      about: "restore by a denoiser in place of the prior: local-score, pca-locality, wiener",
    },
    set: { value: "NAME=VALUE", many: true, about: "change a value of the restoration's profile: prior.neighbours=50" },
    ...pluginFlags,
    ...computingFlags("bytes", "random seed: the same seed gives the same bytes (1)"),
    ...resultFlags("out/restore-TASK", "restore.json"),
  },
  examples: [
    "deno task restore --profile digits --task superres --samples 4",
    "deno task restore --profile digits --task inpaint --mask half --class 3",
    "deno task restore --profile colour-faces --faces --task inpaint --degraded old.jpg --mask spot.png",
    "deno task restore --profile digits --task denoise --noise 0.2 --z-step mean --class all",
  ],
  async run({ given, args }) {
    if (given.task === undefined) throw new UsageError(`restore needs --task: ${tasks.join(", ")}`);
    if (given.images !== undefined && given.degraded !== undefined) {
      throw new UsageError("restore takes --images (clean) or --degraded, not both");
    }
    if (given.labels !== undefined && (given.faces || (given.images ?? given.degraded) === undefined)) {
      throw new UsageError("restore takes --labels with --images or --degraded, and not with --faces");
    }
    // The masks with names are examples: over a damaged picture they would hide what is whole, and keep the damage.
    if (given.degraded !== undefined && given.task === "inpaint" && given.mask === undefined) {
      throw new UsageError(
        "restore --task inpaint --degraded needs --mask FILE: white where the picture is damaged",
      );
    }
    const { "z-step": zStep } = given;
    const request = {
      ...given,
      ...readExperimentFlags(given),
      ...readResultFlags(given, commandLine("deno task restore", args)),
      task: oneOf("task", given.task, tasks),
      count: wholeNumber("count", given.count ?? "16", 1, MAX_IMAGES),
      zStep,
    };
    const { restoreImages } = await needed<typeof import("../restorations/restore.ts")>("restorations/restore.ts");
    await restoreImages(request);
  },
});
