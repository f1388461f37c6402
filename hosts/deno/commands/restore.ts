/** `deno task restore`: super-resolution, inpainting and denoising with the same ADMM. */
import type { Kernels } from "../../../core/kernels.ts";
import {
  type DegradedImages,
  observationsOf,
  observedPyramid,
} from "../../../pipelines/restoration/observed_pyramid.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import { type Profile, withPrior, withSetting } from "../../../core/profile.ts";
import { pad, seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { suggestion } from "../../../core/options.ts";
import { areaOf, shapeText, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { maskNames, maskOf, withNoise } from "../../../pipelines/restoration/degrade.ts";
import { greyFromPng } from "../../../datasets/formats/png.ts";
import {
  type Degradation,
  restorationProfile,
  type RestorationTask,
  tasks,
} from "../../../pipelines/restoration/restoration_profile.ts";
import { seedModel } from "../../../pipelines/synthesis/seed_model.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { findData } from "../data/find_data.ts";
import { fitParts } from "../../../pipelines/synthesis/fit_parts.ts";
import { type Given, readFlags, UsageError, wholeNumber } from "../cli/flags.ts";
import { chosenBy } from "../../../datasets/groups.ts";
import {
  batchSize,
  type GroupImage,
  type SynthesisTask,
  synthesizeTasks,
} from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { stopSignals } from "../cli/stop_signals.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { PLUGIN_ABOUT, SANDBOX_ABOUT } from "../cli/common_flags.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { readImageSet } from "../data/read_image_set.ts";
import { readProfile } from "../data/read_profile.ts";
import { baselineOf, compareWithTruth } from "../output/restore_baseline.ts";
import { openFolder } from "../output/out_folder.ts";
import { writeRestoration } from "../output/restoration_results.ts";

const FLAGS = {
  profile: { value: "NAME|FILE.json", about: "what the images are: digits, faces or a profile of your own" },
  task: { value: "NAME", about: `what was done to them: ${tasks.join(", ")}` },
  images: {
    value: "PATH",
    about: "clean images, which are spoiled first: a PNG, a folder of them, an IDX or NPY file (the test images)",
  },
  degraded: { value: "PATH", about: "images that are spoiled already, instead of --images" },
  labels: { value: "FILE", about: "their classes: an IDX file (found beside the images by its name)" },
  count: { value: "N", about: "how many of the images (16)" },
  factor: { value: "N", about: "superres: how many times larger, 2, 4 .. up to the profile's depth (2)" },
  mask: {
    value: "NAME|FILE.png",
    about: `inpaint: what is missing: ${maskNames.join(", ")}, or what is white (quarter)`,
  },
  noise: { value: "X", about: "denoise: standard deviation of the noise, white being 1 (0.1)" },
  samples: { value: "N", about: "restorations of each image, drawn independently (4; 1 for --z-step map and mean)" },
  "z-step": {
    value: "sample|map|mean",
    about: "what the z-step takes: a random patch, the likeliest, or the mean (sample)",
  },
  class: {
    value: "N|all",
    about: "one class only; all: examples of all classes (each image's own class, where known)",
  },
  data: { value: "PATH", about: "training images: IDX files, or a folder of PNGs" },
  prior: { value: "NAME", about: "another prior than the profile's" },
  set: { value: "NAME=VALUE", many: true, about: "one value of the restoration's profile: prior.neighbours=50" },
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  sandbox: { about: SANDBOX_ABOUT },
  seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
  threads: { value: "N", about: "workers; the bytes do not depend on it (all cores)" },
  out: { value: "DIR", about: "where the results go (out/restore-TASK)" },
  json: { about: "print restore.json to the standard output instead of the table" },
  quiet: { about: "no progress" },
} as const;

const COMMAND = {
  name: "restore",
  about: "Restores measured images: super-resolution, inpainting, denoising.",
  flags: FLAGS,
  examples: [
    "deno task restore --profile digits --task superres --samples 4",
    "deno task restore --profile digits --task inpaint --mask half --class 3",
    "deno task restore --profile digits --task denoise --noise 0.2 --z-step mean --class all",
  ],
} as const;

const MOST_IMAGES = 10_000, MOST_SAMPLES = 1000;

/** Images to restore: what was measured of them and, where it is known, the truth. */
export interface DegradedImage {
  /** Number in the set that they came from. */
  readonly index: number;
  readonly label?: number;
  /** The measured image, in about [0, 1]: of the profile's size, but for super-resolution. */
  readonly measured: Float32Array;
  /** The clean image, of the profile's size. */
  readonly truth?: Uint8Array;
}

/** Runs `restore`; the exit code. */
export async function restoreCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  if (read.rest.length > 0) throw new UsageError(`restore takes flags only, got "${read.rest[0]}" (see --help)`);
  const { given } = read, say = (text: string) => given.quiet || console.error(text);
  const task = taskOf(given.task), count = wholeNumber("count", given.count ?? "16", 1, MOST_IMAGES);
  const seed = wholeNumber("seed", given.seed ?? "1", 0, Number.MAX_SAFE_INTEGER);
  const threads = wholeNumber("threads", given.threads ?? String(Math.min(navigator.hardwareConcurrency, 64)), 1, 64);
  if (given.images !== undefined && given.degraded !== undefined) {
    throw new UsageError("restore takes --images (clean) or --degraded, not both");
  }
  const plugins = await openPlugins(given.plugin, given.sandbox, say);
  const { profile, data: where } = await readProfile("restore", given.profile),
    spoiled = spoiledOf(given, task, profile);
  const planned = planOf(given, profile, spoiled, plugins), samples = samplesOf(given.samples, planned);
  const folder = given.out ?? `out/restore-${task}`, [full] = planned.sizes;

  const data = await findData(profile.dataset, given.data ?? where), path = given.images ?? given.degraded;
  if (path === undefined && data.test.images.count === 0) {
    throw new Error(`Cannot restore test images of ${data.name}, which holds none: expected --images or --degraded`);
  }
  const set: LabelledImages = path === undefined ? data.test : await readImageSet(path, given.labels);
  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const { kernels, sha256 } = await runner.kernels();
  const chosen = choose(set, count, given.class, data, path ?? data.name);
  const subjects = subjectsOf(kernels, set.images, chosen, planned, spoiled, seed, given.degraded !== undefined, path);
  const groups = groupsOf(subjects, profile, data, given.class);
  const known = task === "inpaint"
    ? await readMask(spoiled.mask!, full, set.images, data.train.images)
    : new Float32Array(areaOf(full)).fill(1);
  await openFolder(folder);
  say(`Data: ${data.origin}`);

  const started = performance.now(), bar = runner.progress("Restoring");
  const trainings = groups.map(({ label }) => {
    return trainingPyramid(
      kernels,
      data.train.images,
      planned.sizes,
      chosenBy(data.train.labels, label, data.train.images.count),
    );
  });
  const batch = batchSize(Math.max(...groups.map(({ of }) => of.length)) * samples, threads);
  const jobs = groups.flatMap((group, g) => {
    return jobsOf(kernels, planned, data, subjects, group, g, {
      task,
      known,
      noise: spoiled.noise ?? 0,
      samples,
      seed,
      batch,
    });
  });
  const done: GroupImage[] = [];
  signals.listen();
  const fitting = runner.progress("Fitting the prior"), unfitted = { kernels, plan: planned, trainings, seed, batch };
  const work = await fitParts(runner, unfitted, fitting.update).finally(fitting.end);
  if (!work) throw new Error(`Stopped before the end: ${folder} is as it was`);
  await synthesizeTasks(runner, work, jobs, {
    progress: bar.update,
    finished: (images) => void done.push(...images),
  }).finally(bar.end);
  if (done.length < subjects.length * samples) throw new Error(`Stopped before the end: ${folder} is as it was`);
  const restored = subjects.map((_, n) => {
    return Array.from({ length: samples }, (_, s) => {
      const { pixels } = done.find(({ number }) => number === numberOf(n, s))!;
      // What was measured without noise is known better than any restoration could say.
      return task === "inpaint"
        ? pixels.map((grey, p) => known[p] > 0 ? byteOf(subjects[n].measured[p]) : grey)
        : pixels;
    });
  });
  const restoring = performance.now() - started;
  const baseline = baselineOf(kernels, subjects, { spoiled, plan: planned, known, data, groups });
  const images = compareWithTruth(subjects, restored, baseline.images, full);
  const summary = await writeRestoration({
    folder,
    command: `deno task restore ${args.join(" ")}`,
    plan: planned,
    spoiled,
    known,
    data,
    path,
    seed,
    subjects,
    images,
    baseline,
    milliseconds: restoring,
    threads,
    kernels: sha256,
    classes: groups.map(({ label }) => label ?? "all"),
  });
  console.log(given.json ? JSON.stringify(summary.json, null, 2) : summary.table);
  say(`${counted(subjects.length, "image")} in ${(restoring / 1000).toFixed(1)} s: ${folder}/sheet.png`);
  return 0;
}

function taskOf(given: string | undefined): RestorationTask {
  if (given === undefined) throw new UsageError(`restore needs --task: ${tasks.join(", ")}`);
  const task = tasks.find((name) => name === given);
  if (!task) throw new UsageError(`There is no task "${given}"${suggestion(given, tasks)}`);
  return task;
}

type RestoreFlags = Given<typeof FLAGS>;

/** What a task's own flags say. Throws where another task's are given. */
function spoiledOf(given: RestoreFlags, task: RestorationTask, profile: Profile): Degradation {
  const own = { superres: "factor", inpaint: "mask", denoise: "noise" } as const;
  for (const [of, flag] of Object.entries(own)) {
    if (of !== task && given[flag] !== undefined) {
      throw new UsageError(`--${flag} is for --task ${of}, got --task ${task}`);
    }
  }
  if (task === "superres") {
    const depth = Array.isArray(profile.layers) ? profile.layers.length : 1;
    const factors = Array.from({ length: depth }, (_, l) => 2 ** (l + 1)), factor = Number(given.factor ?? 2);
    if (factors.includes(factor)) return { task, factor };
    throw new UsageError(`--factor must be ${factors.join(" or ")} for profile "${profile.name}", got ${given.factor}`);
  }
  if (task === "inpaint") {
    const mask = given.mask ?? "quarter";
    if (maskNames.includes(mask) || mask.endsWith(".png")) return { task, mask };
    throw new UsageError(`--mask must be ${maskNames.join(", ")} or a file.png, got ${mask}`);
  }
  const noise = Number(given.noise ?? 0.1);
  if (noise > 0 && noise <= 1) return { task, noise };
  throw new UsageError(`--noise must be a number above 0 and up to 1, got ${given.noise}`);
}

/** The plan of the restoration. --prior and --set come last: they have the last word. */
function planOf(given: RestoreFlags, profile: Profile, spoiled: Degradation, { registry }: Plugins): Plan {
  try {
    plan(profile, registry); // what is wrong with it shall be told of the profile as it was given
    let own = restorationProfile(profile, spoiled);
    if (given.prior !== undefined) own = withPrior(own, given.prior, registry);
    if (given["z-step"] !== undefined) own = { ...own, zStep: given["z-step"] as Profile["zStep"] };
    for (const setting of given.set) own = withSetting(own, setting);
    const planned = plan(own, registry);
    if (planned.channels !== 1 || !planned.aligned) {
      throw new Error(`restore takes profiles of grey, aligned images, got "${profile.name}"`);
    }
    return planned;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function samplesOf(given: string | undefined, { zStep }: Plan): number {
  const samples = wholeNumber("samples", given ?? (zStep === "sample" ? "4" : "1"), 1, MOST_SAMPLES);
  if (zStep === "sample" || samples === 1) return samples;
  throw new UsageError(`--samples ${samples} would all be the same with --z-step ${zStep}: expected 1`);
}

/**
 * A mask by its name or from a file: 1 where a pixel is known, 0 where it is missing. Throws where none or all of the images'
 * own pixels are missing.
 */
async function readMask(name: string, full: Size, images: Images, training: Images): Promise<Float32Array> {
  const mask = maskNames.includes(name) ? maskOf(name, full) : await maskFromFile(name, full, [images, training]);
  const { height, width } = images, whole = new Uint8Array(areaOf(images)).fill(1);
  const inside = pad({ count: 1, height, width, pixels: whole }, 0, full), own = mask.filter((_, p) => inside[p] > 0);
  const missing = own.filter((part) => part === 0).length;
  if (missing > 0 && missing < own.length) return mask;
  throw new Error(
    `The mask ${name} hides ${missing} of the images' ${own.length} pixels: expected some that are hidden and some that are not`,
  );
}

/** A mask of the profile's size, or of the images' before they are padded: white is missing. */
async function maskFromFile(path: string, full: Size, images: readonly Images[]): Promise<Float32Array> {
  const bytes = await Deno.readFile(path).catch((error) => {
    throw new Error(`Cannot read the mask ${path}: ${error.message}`);
  });
  const mask = greyFromPng(bytes, path), sizes = new Set([full, ...images].map(shapeText));
  if (sizes.has(shapeText(mask))) {
    return Float32Array.from(pad({ count: 1, ...mask }, 0, full), (grey) => grey >= 128 ? 0 : 1);
  }
  throw new Error(`The mask ${path} has ${shapeText(mask)} pixels: expected ${[...sizes].join(" or ")}`);
}

interface Chosen {
  readonly index: number;
  readonly label?: number;
}

/** The first images, or those of one class. */
function choose(
  { images, labels }: LabelledImages,
  count: number,
  given: string | undefined,
  data: DataSet,
  path: string,
): Chosen[] {
  const all = Array.from({ length: images.count }, (_, index): Chosen => ({ index, label: labels?.[index] }));
  if (given === undefined || given === "all") return all.slice(0, count);
  if (!data.train.labels) {
    throw new UsageError(`Cannot use --class ${given}: the images of ${data.name} have no labels`);
  }
  const only = wholeNumber("class", given, 0, 255);
  const own = labels ? all.filter(({ label }) => label === only) : all.map((one) => ({ ...one, label: only }));
  if (own.length > 0) return own.slice(0, count);
  throw new UsageError(`There are no images of class ${only} in ${path}`);
}

/** Spoils clean images, or takes those that are spoiled already as they are. */
function subjectsOf(
  kernels: Kernels,
  images: Images,
  chosen: readonly Chosen[],
  { sizes }: Plan,
  { task, noise }: Degradation,
  seed: number,
  degraded: boolean,
  path = "the test images",
): DegradedImage[] {
  const [full] = sizes, small = sizes.at(-1)!, size = degraded && task === "superres" ? small : full;
  if ((images.channels ?? 1) !== 1 || images.height > size.height || images.width > size.width) {
    throw new Error(`${path} has images of ${shapeText(images)}: expected grey ones of up to ${shapeText(size)}`);
  }
  return chosen.map(({ index, label }): DegradedImage => {
    const bytes = pad(images, index, size), unit = Float32Array.from(bytes, (grey) => grey / 255);
    if (degraded) return { index, label, measured: unit };
    if (task === "superres") {
      return { index, label, measured: seedImages(kernels, images, sizes, [index]), truth: bytes };
    }
    if (task === "inpaint") return { index, label, measured: unit, truth: bytes };
    return {
      index,
      label,
      measured: withNoise(kernels, unit, full, { noise: noise!, seed, image: index }),
      truth: bytes,
    };
  });
}

/** The images that are restored from the same examples, by their place among the subjects. */
export interface RestoreGroup {
  readonly label?: number;
  readonly of: readonly number[];
}

/** Each class by itself, where the images' classes are known and count; all together otherwise. */
function groupsOf(
  subjects: readonly DegradedImage[],
  profile: Profile,
  data: DataSet,
  given: string | undefined,
): RestoreGroup[] {
  const all = subjects.map((_, n) => n), { labels } = data.train;
  if (given === "all" || !profile.classwise || !labels || subjects[0].label === undefined) return [{ of: all }];
  const used = [...new Set(subjects.map(({ label }) => label!))].sort((a, b) => a - b);
  const alien = used.find((label) => !labels.includes(label));
  if (alien !== undefined) {
    throw new Error(`Class ${alien} has no training images: expected --class all or other --data`);
  }
  return used.map((label) => ({ label, of: all.filter((n) => subjects[n].label === label) }));
}

/** Sample `s` of image `n` has the same number whatever the number of samples. */
function numberOf(n: number, s: number): number {
  return s * MOST_IMAGES + n;
}

interface ObservationSettings {
  readonly task: RestorationTask;
  readonly known: Float32Array;
  readonly noise: number;
  readonly samples: number;
  readonly seed: number;
  /** The most images of a job. */
  readonly batch: number;
}

/** The jobs of one group: seed images, and what each layer observes of them. */
function jobsOf(
  kernels: Kernels,
  planned: Plan,
  { train }: DataSet,
  subjects: readonly DegradedImage[],
  { label, of }: RestoreGroup,
  group: number,
  { task, known, noise, samples, seed, batch }: ObservationSettings,
): SynthesisTask[] {
  const { sizes } = planned, pixels = areaOf(sizes.at(-1)!);
  const examples = () => seedImages(kernels, train.images, sizes, chosenBy(train.labels, label, train.images.count));
  const model = task === "superres" ? undefined : seedModel(kernels, examples(), pixels);
  const all = of.flatMap((n) => Array.from({ length: samples }, (_, s) => ({ n, number: numberOf(n, s) })));
  return Array.from({ length: Math.ceil(all.length / batch) }, (_, j): SynthesisTask => {
    const own = all.slice(j * batch, (j + 1) * batch), images = own.map(({ number }) => number);
    const values = joined(own.map(({ n }) => subjects[n].measured));
    if (!model) return { group, images, seedImages: values };
    const measured: DegradedImages = { count: own.length, values, known, noise };
    const levels = observedPyramid(kernels, sizes, measured), coarsest = levels.at(-1)!;
    const seeds = model.given(coarsest.variances);
    return {
      group,
      images,
      seedImages: joined(own.map(({ number }, i) => {
        const seen = coarsest.values.subarray(i * pixels, (i + 1) * pixels);
        return planned.zStep === "sample" ? seeds.draw(seen, seed, number) : seeds.mean(seen);
      })),
      observed: levels.slice(0, -1).map(observationsOf),
    };
  });
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const length = parts[0].length, all = new Float32Array(parts.length * length);
  parts.forEach((part, i) => all.set(part, i * length));
  return all;
}

/** A value in about [0, 1] as a byte. */
export function byteOf(value: number): number {
  return Math.min(Math.max(Math.floor(value * 255 + 0.5), 0), 255);
}

/** The sizes of the measured images: the last of the plan for super-resolution, the first otherwise. */
export function measuredSize({ sizes }: Plan, { task }: Degradation): Size {
  return task === "superres" ? sizes.at(-1)! : sizes[0];
}
