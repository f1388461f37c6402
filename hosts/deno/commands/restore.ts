/** `deno task restore`: super-resolution, inpainting and denoising with the ADMM of synthesis. */
import type { Plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { baselineOf } from "../../../pipelines/restoration/baselines.ts";
import {
  type ChosenImage,
  type Degradation,
  degradeImages,
  maskNames,
  type RestorationTask,
  tasks,
} from "../../../pipelines/restoration/degradation.ts";
import { croppedTo } from "../../../pipelines/restoration/cropped_restoration.ts";
import { restorationProfile } from "../../../pipelines/restoration/restoration_profile.ts";
import {
  restorationFiles,
  restorationPictures,
  restorationRecord,
  restorationTable,
} from "../../../pipelines/restoration/restoration_results.ts";
import { MAX_IMAGES, restorationGroups, restore } from "../../../pipelines/restoration/restore.ts";
import { compareWithTruth } from "../../../pipelines/restoration/restored_image.ts";
import { requestedPlan } from "../../../pipelines/synthesis/request.ts";
import { commandLine } from "../system/command_line.ts";
import { checkClass, pluginFlags, readClass, readFlagsOnly, sizeFlag } from "./flags/common_flags.ts";
import { computingFlags, resultFlags } from "./flags/experiment_flags.ts";
import { asUsage, type Given, oneOf, UsageError, wholeNumber } from "./flags/flags.ts";
import { print } from "../system/printable.ts";
import { stoppable, stopSignals } from "../system/stop_signals.ts";
import { readExperiment } from "../experiments/read_experiment.ts";
import { readRestoration } from "../restorations/read_restoration.ts";
import { openOutFolder } from "../folders/out_folder.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what the images are: digits, faces, colour-faces, objects, texture (holes only), digits-paper, faces-paper, a profile.json of your own, or a pack",
  },
  ...sizeFlag,
  task: { value: "NAME", about: `how the images were degraded: ${tasks.join(", ")}` },
  images: {
    value: "PATH",
    about: "clean images, to be degraded first: a picture, a folder of pictures, an IDX or NPY file (the test images)",
  },
  degraded: { value: "PATH", about: "images that are degraded already, instead of --images" },
  labels: {
    value: "FILE",
    about: "classes of the images: an IDX file (the labels beside the file of images, if there are any)",
  },
  count: { value: "N", about: "how many of the images (16)" },
  factor: { value: "N", about: "superres: how many times larger the result is, a power of 2 (2)" },
  mask: {
    value: "NAME|FILE.png",
    about: `inpaint: the missing pixels: ${maskNames.join(", ")}, or the white pixels of a PNG (quarter)`,
  },
  noise: { value: "X", about: "denoise: standard deviation of the noise, white being 1 (0.1)" },
  samples: { value: "N", about: "restorations of each image, drawn independently (4; with --z-step map or mean 1)" },
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
    about: "training images: IDX files, a folder of pictures, or a pack, which has no test images",
  },
  prior: { value: "NAME", about: "another prior than the profile's" },
  set: { value: "NAME=VALUE", many: true, about: "change a value of the restoration's profile: prior.neighbours=50" },
  ...pluginFlags,
  ...computingFlags("bytes", "random seed: the same seed gives the same bytes (1)"),
  ...resultFlags("out/restore-TASK", "restore.json"),
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "restore",
  about: "Restores degraded images: super-resolution, inpainting, denoising.",
  flags: FLAGS,
  examples: [
    "deno task restore --profile digits --task superres --samples 4",
    "deno task restore --profile digits --task inpaint --mask half --class 3",
    "deno task restore --profile texture --task inpaint --images wall.png --mask hole.png",
    "deno task restore --profile digits --task denoise --noise 0.2 --z-step mean --class all",
  ],
  run: restoreCommand,
} as const;

/** The most restorations of an image. */
const MAX_SAMPLES = 1000;

/** Runs `restore`; returns the exit code. */
export async function restoreCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const task = readTask(given.task), count = wholeNumber("count", given.count ?? "16", 1, MAX_IMAGES);
  if (given.images !== undefined && given.degraded !== undefined) {
    throw new UsageError("restore takes --images (clean) or --degraded, not both");
  }
  const experiment = await readExperiment("restore", given, { textures: true });
  const { profile, plugins, seed, threads, say } = experiment, path = given.images ?? given.degraded;
  const degradation = readDegradation(given, task, profile), folder = given.out ?? `out/restore-${task}`;
  const { plan, data, set, known, size } = await readRestoration(experiment, {
    given,
    degradation,
    count,
    planOf: (own) => readPlan(given, own, degradation, plugins),
  });
  const samples = readSamples(given.samples, plan);
  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, signal: signals.signal });
  const { kernels, sha256 } = await runner.kernels();
  const degraded = degradeImages(kernels, set.images, choose(set, count, given.class, data, path), plan, degradation, {
    seed,
    isDegraded: given.degraded !== undefined,
    path: path ?? "the test images",
  });
  const groups = restorationGroups(degraded, plan, data, given.class === "all");
  const planned = [...restorationFiles(degraded.length, samples), "restore.json"];
  const inputs = [experiment.path, data, path, given.labels, maskFile(degradation)];
  await using out = await openOutFolder(folder, { command: "restore", planned, force: given.force, inputs });
  say(`Data: ${data.origin}`);
  if (plan.profile.name !== profile.name) say(`Restoring with the layers of ${plan.profile.name} (restoredAs)`);

  const started = runner.now(), request = { plan, degradation, data, degraded, known, groups, samples, seed };
  const restored = await stoppable(signals, () => `${folder} is unchanged`, () => restore(runner, kernels, request));
  const milliseconds = runner.now() - started;
  const finished = croppedTo(size, { request, restored, baseline: baselineOf(kernels, request) });
  const { baseline, request: { degraded: images } } = finished;
  const compared = compareWithTruth(images, finished.restored, baseline.images, size);
  const restoration = { ...finished.request, path, images: compared, baseline };
  const record = restorationRecord(restoration, {
    command: commandLine("deno task restore", args),
    milliseconds,
    kernels: sha256,
    runtime: { deno: Deno.version.deno, threads },
  });
  await out.finish({}, [
    ...restorationPictures(restoration),
    ["restore.json", JSON.stringify(record, null, 2) + "\n"],
  ]);
  print(given.json ? JSON.stringify(record, null, 2) : restorationTable(restoration));
  say(`${counted(degraded.length, "image")} in ${(milliseconds / 1000).toFixed(1)} s: ${folder}/sheet.png`);
  return 0;
}

/** The path of the mask; undefined if it is none of a file. */
function maskFile({ mask }: Degradation): string | undefined {
  return mask === undefined || maskNames.includes(mask) ? undefined : mask;
}

function readTask(given: string | undefined): RestorationTask {
  if (given === undefined) throw new UsageError(`restore needs --task: ${tasks.join(", ")}`);
  return oneOf("task", given, tasks);
}

type RestoreFlags = Given<typeof FLAGS>;

/**
 * Reads the flag of the task.
 *
 * @throws {UsageError} if its value is wrong, or if the flag of another task is given
 */
function readDegradation(given: RestoreFlags, task: RestorationTask, profile: Profile): Degradation {
  const flags = { superres: "factor", inpaint: "mask", denoise: "noise" } as const;
  for (const [other, flag] of Object.entries(flags)) {
    if (other !== task && given[flag] !== undefined) {
      throw new UsageError(`Cannot use --${flag}: expected --task ${other}, got --task ${task}`);
    }
  }
  if (task === "superres") {
    const depth = profile.layers.length;
    const factors = Array.from({ length: depth }, (_, l) => 2 ** (l + 1)), factor = Number(given.factor ?? 2);
    if (factors.includes(factor)) return { task, factor };
    const expected = `expected ${factors.join(" or ")}, as profile "${profile.name}" has ${depth} layers`;
    throw new UsageError(`Cannot use --factor ${given.factor}: ${expected}`);
  }
  if (task === "inpaint") {
    const mask = given.mask ?? "quarter";
    if (maskNames.includes(mask) || mask.endsWith(".png")) return { task, mask };
    throw new UsageError(`Cannot use --mask ${mask}: expected ${maskNames.join(", ")} or a file.png`);
  }
  const noise = Number(given.noise ?? 0.1);
  if (noise > 0 && noise <= 1) return { task, noise };
  throw new UsageError(`Cannot use --noise ${given.noise}: expected a number above 0 and up to 1`);
}

/** Returns the plan of the restoration. --prior, --z-step and --set come last, so that they override its profile. */
function readPlan(given: RestoreFlags, profile: Profile, degradation: Degradation, { registry }: Plugins): Plan {
  const { prior, "z-step": zStep, set } = given;
  return asUsage(() => {
    const request = { prior, zStep: zStep as Profile["zStep"], set };
    return requestedPlan(restorationProfile(profile, degradation), request, registry);
  });
}

function readSamples(given: string | undefined, { zStep }: Plan): number {
  const samples = wholeNumber("samples", given ?? (zStep === "sample" ? "4" : "1"), 1, MAX_SAMPLES);
  if (zStep === "sample" || samples === 1) return samples;
  throw new UsageError(`Cannot use --samples ${samples} with --z-step ${zStep}: expected 1, as all would be the same`);
}

/** Chooses the first images, or the first of one class. */
function choose(
  { images, labels }: LabelledImages,
  count: number,
  given: string | undefined,
  data: DataSet,
  path = data.name,
): ChosenImage[] {
  const all = Array.from({ length: images.count }, (_, index): ChosenImage => ({ index, label: labels?.[index] }));
  if (given === undefined || given === "all") return all.slice(0, count);
  const { train, classes } = data, only = readClass(given, data);
  checkClass(only, { name: data.name, labels: train.labels, classes });
  if (!labels) return all.slice(0, count).map((one) => ({ ...one, label: only }));
  checkClass(only, { name: path, labels, classes });
  return all.filter(({ label }) => label === only).slice(0, count);
}
