/** `deno task assess`: scores any images, ours or another system's, against training images. */
import { commandLine } from "../system/command_line.ts";
import {
  forceFlag,
  pluginFlags,
  quietFlag,
  readSize,
  readThreads,
  sizeFlag,
  threadsFlag,
} from "./flags/common_flags.ts";
import { command, UsageError, wholeNumber } from "./flags/flags.ts";
import { needed } from "../system/needed.ts";

/** The most images that are made again without a training image: each takes as long as a run of one image. */
const MAX_LEFT_OUT = 200;

/** The command. */
export const COMMAND = command({
  name: "assess",
  about: "Scores images by likelihood, originality, spread, a judge and more against training images.",
  flags: {
    profile: {
      value: "NAME|FILE",
      about:
        "what the images are: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, sprites, digits-paper, faces-paper, a profile.json of your own, or a pack",
    },
    images: {
      value: "PATH",
      about:
        "the images: a picture, a folder of pictures, a folder that synth wrote, or a file of many (IDX, NPY, NPZ, Parquet, WebDataset)",
    },
    labels: {
      value: "FILE",
      about: "classes of the images: an IDX or NPY file (the labels beside the file of images, if there are any)",
    },
    ...sizeFlag,
    class: {
      value: "NAME|all",
      about:
        "one class only, by its number or name; images without labels are taken to be of it; all: all classes together (class by class)",
    },
    data: {
      value: "PATH",
      about:
        "training images: IDX, NPY, NPZ, Parquet or WebDataset files, a folder of pictures, or a pack, which has no held-out images",
    },
    metric: {
      value: "NAME",
      many: true,
      about:
        "a metric to measure; several times for more; all: all metrics, which takes longer (the paper's three, and those that show defects and copies)",
    },
    set: { value: "METRIC.OPTION=VALUE", many: true, about: "change an option of a metric: spread.perplexity=30" },
    privacy: {
      about:
        "in place of scores: what the images reveal of their training images, by attacks and copies beside held-out images",
    },
    "leave-one-out": {
      value: "N",
      about:
        "with --privacy, for a folder of synth: make N of the images again without the training image that each is most like, and say how much they change (0)",
    },
    gate: {
      about:
        "with --privacy: exit code 1 if images are copies, if an attack finds training images, or if files hold anything that was not assessed",
    },
    ...pluginFlags,
    report: {
      about: "also write one HTML file with tables, plots, a t-SNE map, the best and worst images",
    },
    out: {
      value: "DIR",
      about: "where report.html, scores.json (with --privacy privacy.json) and images.csv go (out/assess)",
    },
    ...threadsFlag("numbers"),
    ...forceFlag,
    json: { about: "print scores.json or privacy.json to the standard output instead of the table" },
    ...quietFlag,
  },
  examples: [
    "deno task assess --profile digits --images out/digits",
    "deno task assess --profile digits --images folder-of-28x28-pictures --report",
    "deno task assess --profile digits --images out/digits/images --privacy --gate",
    "deno task assess --profile digits --images out/digits --privacy --leave-one-out 20",
    "deno task assess --profile digits --images samples.npy --metric originality --metric precision",
  ],
  async run({ given, args }) {
    const { metric: metrics, set: settings, size, threads, privacy, gate, out = "out/assess" } = given;
    if (gate && !privacy) throw new UsageError("Cannot use --gate alone: expected --privacy --gate");
    if (privacy && metrics.length > 0) throw new UsageError("Cannot use --metric with --privacy: expected one of them");
    const sample = given["leave-one-out"];
    if (sample !== undefined && !privacy) {
      throw new UsageError("Cannot use --leave-one-out alone: expected --privacy --leave-one-out N");
    }
    const request = {
      ...given,
      leaveOneOut: wholeNumber("leave-one-out", sample ?? "0", 0, MAX_LEFT_OUT),
      metrics,
      settings,
      out,
      size: size === undefined ? undefined : readSize(size),
      threads: readThreads(threads),
      command: commandLine("deno task assess", args),
    };
    const { assessImages } = await needed<typeof import("../assessments/assess.ts")>("assessments/assess.ts");
    const passes = await assessImages(request);
    return gate && !passes ? 1 : 0;
  },
});
