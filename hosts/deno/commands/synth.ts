/** `deno task synth`: from flags to a folder of images. */
import type { Kernels } from "../../../core/kernels.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { crop, pyramidSizes, range, seedImages, type TrainingPyramid, trainingPyramid } from "../../../core/pyramid.ts";
import { lengthOf, sameShape, type Size } from "../../../core/shape.ts";
import type { Images } from "../../../core/types.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { chosenBy, type ClassGroup, groupImages, seedNumbers } from "../../../datasets/groups.ts";
import { takeSeedImages } from "../../../pipelines/synthesis/synthesizer.ts";
import { quilt } from "../../../pipelines/synthesis/quilt.ts";
import { seedModel } from "../../../pipelines/synthesis/seed_model.ts";
import { requestedClasses, requestedPlan } from "../../../pipelines/synthesis/request.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { fitParts } from "../../../pipelines/synthesis/fit_parts.ts";
import { asUsage, type Given, outFolder, readFlags, UsageError, wholeNumber } from "../cli/flags.ts";
import {
  batchSize,
  type GroupImage,
  type SynthesisTask,
  synthesizeTasks,
} from "../../../pipelines/synthesis/synthesis_tasks.ts";
import { stopSignals } from "../cli/stop_signals.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { openPlugins, PLUGIN_ABOUT, type Plugins, SANDBOX_ABOUT } from "../plugins/load_plugins.ts";
import { readProfile } from "../data/read_profile.ts";
import { readSeedImages } from "../data/read_seed_images.ts";
import { openResults } from "../output/synthesis_results.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about: "what to synthesize: digits, faces, texture, a profile.json of your own, or a pack",
  },
  size: { value: "WIDTHxHEIGHT", about: "of the images (the profile's); textures may have any" },
  count: { value: "N", about: "how many images (16)" },
  seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
  class: { value: "N|all", about: "one class only; all: one model of all classes together (each class in turn)" },
  data: { value: "PATH", about: "training images: IDX files, a folder of PNGs, a pack, or the PNG of a texture" },
  from: {
    value: "test|model|quilt|PATH",
    about:
      "seed images: of the test images, from a Gaussian, from blocks of an exemplar, PNGs or IDX (test; quilt for texture)",
  },
  prior: { value: "NAME", about: "another prior than the profile's" },
  context: { value: "NAME", many: true, about: "other contexts than the profile's; none: no context" },
  "z-step": {
    value: "sample|map|mean",
    about: "what the z-step takes: a random patch, the likeliest, or the mean (sample)",
  },
  set: { value: "NAME=VALUE", many: true, about: "one value of the profile: prior.neighbours=50, layers.0.window=1" },
  plugin: { value: "SPEC", many: true, about: PLUGIN_ABOUT },
  sandbox: { about: SANDBOX_ABOUT },
  threads: { value: "N", about: "workers; the bytes do not depend on it (all cores)" },
  out: { value: "DIR", about: "where the results go (out/PROFILE)" },
  json: { about: "print run.json to the standard output" },
  quiet: { about: "no progress" },
} as const;

const COMMAND = {
  name: "synth",
  about: "Synthesizes images by randomized patch-matching.",
  flags: FLAGS,
  examples: [
    "deno task synth --profile faces",
    "deno task synth --profile digits --class 3 --count 64 --seed 7 --out threes",
    "deno task synth --profile texture --data brick.png --size 300x200 --count 1",
    "deno task synth --profile digits --set prior.neighbours=20 --context none",
  ],
} as const;

const MOST_IMAGES = 100_000;
const LARGEST_SIDE = 4096;

/** Runs `synth`; the exit code. */
export async function synthCommand(args: string[]): Promise<number> {
  const read = readFlags(args, COMMAND);
  if (read === "helped") return 0;
  if (read.rest.length > 0) throw new UsageError(`synth takes flags only, got "${read.rest[0]}" (see --help)`);
  const { given } = read, started = performance.now();
  const say = (text: string) => given.quiet || console.error(text);
  const count = wholeNumber("count", given.count ?? "16", 1, MOST_IMAGES);
  const seed = wholeNumber("seed", given.seed ?? "1", 0, Number.MAX_SAFE_INTEGER);
  const threads = wholeNumber("threads", given.threads ?? String(Math.min(navigator.hardwareConcurrency, 64)), 1, 64);
  const plugins = await openPlugins(given.plugin, given.sandbox, say);
  const { planned, size, data } = await readPlanAndData(given, plugins.registry);
  const out = given.out ?? outFolder("synth", planned.profile.name),
    from = given.from ?? (planned.aligned ? "test" : "quilt");
  const shown = labelsOf(planned.profile, data, given.class);

  for (const idle of idlePlugins(planned, plugins)) say(idle);

  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const groups = groupImages(range(count), shown);
  const batch = batchSize(Math.max(...groups.map(({ images }) => images.length)), threads);
  const { kernels, sha256 } = await runner.kernels();
  const trainings = groups.map(({ label }) => trainingOf(kernels, planned, data.train, label));
  const { seeds, seedOf, originals } = await seedImagesOf(kernels, planned, data, {
    from,
    seed,
    groups,
    turns: shown.length,
  });
  const jobs = makeJobs(groups, seeds, batch, lengthOf({ ...planned.sizes.at(-1)!, channels: planned.channels }));
  const results = await openResults(out), loaded = performance.now();
  signals.listen(); // to the very end: what is finished shall be written
  say(`Data: ${data.origin}`);

  const done: GroupImage[] = [], fitting = runner.progress("Fitting the prior");
  const unfitted = { kernels, plan: planned, trainings, seed, batch };
  const work = await fitParts(runner, unfitted, fitting.update).finally(fitting.end);

  const fitted = performance.now(), bar = runner.progress("Synthesizing");
  const shape = { ...size, channels: planned.channels };
  const whole = { count: 1, ...planned.sizes[0], channels: planned.channels };
  const finished = async (images: readonly GroupImage[]) => {
    for (const image of images) {
      const { pixels } = sameShape(whole, shape) ? image : crop({ ...whole, pixels: image.pixels }, size);
      done.push({ ...image, pixels });
      await results.image(image.number, shape, pixels);
    }
  };
  if (work) await synthesizeTasks(runner, work, jobs, { progress: bar.update, finished }).finally(bar.end);

  if (done.length === 0) throw new Error(`Stopped before the first image was finished: ${out} is as it was`);
  done.sort((a, b) => a.number - b.number);
  const synthesized = performance.now();
  const summary = await results.finish({
    plan: planned,
    plugins,
    size,
    seed,
    from,
    data,
    groups,
    seedOf,
    originals,
    done,
    wanted: count,
    times: { load: loaded - started, fit: fitted - loaded, synthesis: synthesized - fitted },
    kernels: sha256,
    threads,
  });
  if (given.json) console.log(JSON.stringify(summary, null, 2));
  if (done.length < count) {
    throw new Error(`Stopped: ${done.length} of ${count} images were finished and are in ${out}`);
  }
  const seconds = (synthesized - fitted) / 1000;
  const pace = `in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second)`;
  say(`${counted(count, "image")} ${pace}: ${out}/sheet.png`);
  return 0;
}

type SynthFlags = Given<typeof FLAGS>;

/** The plan, the size of the images, where that is less than the plan's, and the data. */
async function readPlanAndData(
  given: SynthFlags,
  plugins: Registry,
): Promise<{ planned: Plan; size: Size; data: DataSet }> {
  const read = await readProfile("synth", given.profile), where = given.data ?? read.data;
  const asked = readSize(given.size), planned = asUsage(() => planOf(read.profile, given, asked, plugins));
  const { profile, aligned, channels } = planned;
  if (aligned) {
    return { planned, size: planned.sizes[0], data: await findData(profile.dataset, where, undefined, channels) };
  }
  const least = planned.patch * 2 ** planned.layers.length / 2;
  const data = await findExemplars(profile.dataset, channels, least, where), size = asked ?? planned.sizes[0];
  // Grey exemplars make grey images, whatever the profile is made for.
  const grey = (data.train.images.channels ?? 1) < channels;
  return { planned: grey ? plan({ ...profile, channels: 1 }, plugins) : planned, size, data };
}

/** `--size`: 256x192, or 256 for a square. */
function readSize(given: string | undefined): Size | undefined {
  if (given === undefined) return undefined;
  const sides = /^(\d{1,6})(?:x(\d{1,6}))?$/.exec(given),
    width = Number(sides?.[1]),
    height = Number(sides?.[2] ?? width);
  if (sides && Math.min(width, height) >= 1 && Math.max(width, height) <= LARGEST_SIDE) return { height, width };
  throw new UsageError(
    `Cannot use --size ${given}: expected a width and a height from 1 to ${LARGEST_SIDE}, such as 256x192`,
  );
}

function planOf(
  given: Profile,
  { prior, context, "z-step": zStep, set }: SynthFlags,
  asked: Size | undefined,
  plugins: Registry,
): Plan {
  if (context.includes("none") && context.length > 1) {
    throw new UsageError(`--context none goes with no other, got ${context.join(", ")}`);
  }
  const contexts = context.length > 0 ? context.filter((name) => name !== "none") : undefined;
  const planned = requestedPlan(given, { prior, contexts, zStep: zStep as Profile["zStep"], set }, plugins),
    { profile } = planned;
  if (!asked) return planned;
  if (planned.aligned) return plan({ ...profile, size: [asked.width, asked.height] }, plugins);
  // Rounded up to what the pyramid can halve and a patch fits into; the images are cropped afterwards.
  const unit = 2 ** profile.layers.length, least = profile.patch * unit / 2;
  const [width, height] = [asked.width, asked.height].map((side) => Math.max(Math.ceil(side / unit) * unit, least));
  return plan({ ...profile, size: [width, height] }, plugins);
}

/** Sentences about plugins that were loaded and that nobody asked for. */
function idlePlugins({ prior, contexts }: Plan, { registry }: Plugins): string[] {
  const used = [prior, ...contexts].map(({ plugin }) => plugin.name);
  const idle = registry.plugins.filter(({ from, kind, name }) => from && kind !== "metric" && !used.includes(name));
  return idle.map(({ kind, name }) => `The ${kind} "${name}" is loaded but not used (add --${kind} ${name})`);
}

/** The classes to synthesize in turn; [undefined] where classes do not count. Throws where a class has no images. */
function labelsOf(profile: Profile, { train, name }: DataSet, given: string | undefined): (number | undefined)[] {
  // A class that nothing has is refused as such, whatever was written for it.
  const wanted = given === undefined || given === "all" || !train.labels ? given : wholeNumber("class", given, 0, 255);
  if (typeof wanted === "string" && wanted !== "all") {
    throw new UsageError(`Cannot use --class ${given}: the images of ${name} have no labels`);
  }
  return asUsage(() => requestedClasses(profile, train.labels, wanted, name));
}

function trainingOf(
  kernels: Kernels,
  planned: Plan,
  { images, labels }: LabelledImages,
  label?: number,
): TrainingPyramid {
  const chosen = chosenBy(labels, label, images.count);
  if (planned.aligned) return trainingPyramid(kernels, images, planned.sizes, chosen);
  const exemplars = halvable(images, planned);
  return trainingPyramid(kernels, exemplars, pyramidSizes(exemplars, planned.layers.length), chosen);
}

/** Exemplars without what a pyramid cannot halve: less than a coarsest pixel's width at every side. */
function halvable(images: Images, { layers }: Plan): Images {
  const unit = 2 ** layers.length;
  const [height, width] = [images.height, images.width].map((side) => Math.floor(side / unit) * unit);
  return crop(images, { height, width });
}

/** The seed images of every group, one after another, and where they came from: see `Run`. */
async function seedImagesOf(
  kernels: Kernels,
  planned: Plan,
  data: DataSet,
  { from, seed, groups, turns }: { from: string; seed: number; groups: readonly ClassGroup[]; turns: number },
): Promise<{ seeds: Float32Array[]; seedOf?: number[]; originals?: LabelledImages["images"] }> {
  const { sizes, channels } = planned, last = sizes.at(-1)!, pixels = lengthOf({ ...last, channels });
  if (from === "model" && !planned.aligned) {
    throw new UsageError("Cannot use --from model: it is for images that are aligned (valid: quilt, or a path)");
  }
  if (from === "model") {
    return {
      seeds: groups.map(({ label, images }) => {
        const { images: train, labels } = data.train;
        const examples = seedImages(kernels, train, sizes, chosenBy(labels, label, train.count));
        const model = seedModel(kernels, examples, pixels), values = new Float32Array(images.length * pixels);
        images.forEach((image, i) => values.set(model.draw(seed, image), i * pixels));
        return values;
      }),
    };
  }
  if (from === "quilt") {
    return {
      seeds: groups.map(({ label, images }) => {
        const { images: train, labels } = data.train, exemplars = planned.aligned ? train : halvable(train, planned);
        const levels = planned.aligned ? sizes : pyramidSizes(exemplars, planned.layers.length);
        const chosen = chosenBy(labels, label, train.count), coarsest = { ...levels.at(-1)!, channels };
        const examples = { count: chosen.length, ...coarsest, values: seedImages(kernels, exemplars, levels, chosen) };
        const values = new Float32Array(images.length * pixels);
        images.forEach((image, i) => values.set(quilt(examples, last, seed, image), i * pixels));
        return values;
      }),
    };
  }
  if (from === "test" && !planned.aligned) {
    throw new UsageError("Cannot use --from test: exemplars have no test images (valid: quilt, or a path)");
  }
  const packed = from === "test" ? data.seeds : undefined;
  const { images: pictures, labels } = from === "test"
    ? data.test
    : await readSeedImages(from, sizes, channels, planned.aligned);
  const chosen = groups.map((group) => seedNumbers(group, turns, packed ?? { count: pictures.count, labels }));
  const seedOf: number[] = [];
  groups.forEach(({ images }, g) => images.forEach((image, i) => seedOf[image] = chosen[g][i]));
  if (packed) return { seeds: chosen.map((of) => takeSeedImages(packed, of, planned)), seedOf };
  if (!sameShape(pictures, { ...last, channels })) {
    return { seeds: chosen.map((of) => seedImages(kernels, pictures, sizes, of)), seedOf, originals: pictures };
  }
  const unit = (of: number) => Array.from(pictures.pixels.subarray(of * pixels, (of + 1) * pixels), (v) => v / 255);
  return { seeds: chosen.map((of) => Float32Array.from(of.flatMap(unit))), seedOf };
}

function makeJobs(
  groups: readonly ClassGroup[],
  seeds: readonly Float32Array[],
  batch: number,
  pixels: number,
): SynthesisTask[] {
  return groups.flatMap(({ images }, group) =>
    Array.from({ length: Math.ceil(images.length / batch) }, (_, n) => ({
      group,
      images: images.slice(n * batch, (n + 1) * batch),
      seedImages: seeds[group].slice(n * batch * pixels, (n + 1) * batch * pixels),
    }))
  );
}
