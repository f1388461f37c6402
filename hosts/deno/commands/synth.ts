/** `deno task synth`: from flags to a folder of images. */
import { type Plan, plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { LARGEST_SIDE, type Size } from "../../../core/shape.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { requestedClasses, requestedPlan } from "../../../pipelines/synthesis/request.ts";
import type { SeedSource } from "../../../pipelines/synthesis/seed_images.ts";
import { prepareSynthesis, synthesizeImages } from "../../../pipelines/synthesis/synthesize_images.ts";
import {
  pluginFlags,
  quietFlag,
  readClass,
  readFlagsOnly,
  readSeed,
  readThreads,
  sayer,
  threadsFlag,
} from "../cli/common_flags.ts";
import { asUsage, type Given, outFolder, UsageError, wholeNumber } from "../cli/flags.ts";
import { stopSignals } from "../cli/stop_signals.ts";
import { findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { readProfile } from "../data/read_profile.ts";
import { readSeedImages } from "../data/read_seed_images.ts";
import { openResults } from "../output/synthesis_results.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

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
  ...pluginFlags,
  ...threadsFlag("bytes"),
  out: { value: "DIR", about: "where the results go (out/PROFILE)" },
  json: { about: "print run.json to the standard output" },
  ...quietFlag,
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

/** Runs `synth`; the exit code. */
export async function synthCommand(args: string[]): Promise<number> {
  const given = readFlagsOnly(args, COMMAND);
  if (!given) return 0;
  const started = performance.now(), say = sayer(given.quiet);
  const count = wholeNumber("count", given.count ?? "16", 1, MOST_IMAGES);
  const seed = readSeed(given.seed), threads = readThreads(given.threads);
  const plugins = await openPlugins(given.plugin, given.sandbox, say);
  const { plan, size, data } = await readPlanAndData(given, plugins.registry);
  const out = given.out ?? outFolder("synth", plan.profile.name),
    from = given.from ?? (plan.aligned ? "test" : "quilt");
  const classes = readClasses(plan.profile, data, given.class);
  for (const idle of idlePlugins(plan, plugins)) say(idle);

  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const seedSource = await readSeedSource(from, plan);
  const prepared = await prepareSynthesis(runner, { plan, size, data, classes, count, seed, seedSource });
  const results = await openResults(out), loaded = performance.now();
  signals.listen(); // to the very end: what is finished shall be written
  say(`Data: ${data.origin}`);

  const made = await synthesizeImages(runner, prepared, ({ number, pixels }, shape) => {
    return results.image(number, shape, pixels);
  });
  const finished = made.done.length, seconds = made.times.synthesis / 1000;
  if (finished === 0) throw new Error(`Stopped before the first image was finished: ${out} is as it was`);
  const summary = await results.finish({ ...prepared, ...made, from, plugins }, threads, loaded - started);
  if (given.json) console.log(JSON.stringify(summary, null, 2));
  if (finished < count) throw new Error(`Stopped: ${finished} of ${count} images were finished and are in ${out}`);
  const pace = `in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second)`;
  say(`${counted(count, "image")} ${pace}: ${out}/sheet.png`);
  return 0;
}

type SynthFlags = Given<typeof FLAGS>;

/** The plan, the size of the images, where that is less than the plan's, and the data. */
async function readPlanAndData(
  given: SynthFlags,
  plugins: Registry,
): Promise<{ plan: Plan; size: Size; data: DataSet }> {
  const read = await readProfile("synth", given.profile), where = given.data ?? read.data;
  const asked = readSize(given.size), planned = asUsage(() => planOf(read.profile, given, asked, plugins));
  const { profile, aligned, channels } = planned;
  if (aligned) {
    return { plan: planned, size: planned.sizes[0], data: await findData(profile.dataset, where, undefined, channels) };
  }
  const least = planned.patch * 2 ** planned.layers.length / 2;
  const data = await findExemplars(profile.dataset, channels, least, where), size = asked ?? planned.sizes[0];
  // Grey exemplars make grey images, whatever the profile is made for.
  const grey = (data.train.images.channels ?? 1) < channels;
  return { plan: grey ? plan({ ...profile, channels: 1 }, plugins) : planned, size, data };
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

/** Sentences about plugins that were loaded and are not used. */
function idlePlugins({ layers }: Plan, { registry }: Plugins): string[] {
  const used = layers.flatMap(({ prior, contexts }) => [prior, ...contexts]).map(({ plugin }) => plugin.name);
  const idle = registry.plugins.filter(({ from, kind, name }) => from && kind !== "metric" && !used.includes(name));
  return idle.map(({ kind, name }) => `The ${kind} "${name}" is loaded but not used (add --${kind} ${name})`);
}

/** The classes to synthesize in turn; [undefined] where classes do not count. Throws where a class has no images. */
function readClasses(profile: Profile, { train, name }: DataSet, given: string | undefined): (number | undefined)[] {
  // A class that nothing has is refused as such, whatever was written for it.
  const wanted = given === undefined || given === "all" || !train.labels ? given : readClass(given);
  if (typeof wanted === "string" && wanted !== "all") {
    throw new UsageError(`Cannot use --class ${given}: the images of ${name} have no labels`);
  }
  return asUsage(() => requestedClasses(profile, train.labels, wanted, name));
}

/** The value of `--from`: "test", "model" or "quilt", or the path of seed images, which are read. */
async function readSeedSource(from: string, { sizes, channels, aligned }: Plan): Promise<SeedSource> {
  if (from === "model" && !aligned) {
    throw new UsageError("Cannot use --from model: it is for images that are aligned (valid: quilt, or a path)");
  }
  if (from === "test" && !aligned) {
    throw new UsageError("Cannot use --from test: exemplars have no test images (valid: quilt, or a path)");
  }
  if (from === "test" || from === "model" || from === "quilt") return from;
  return await readSeedImages(from, sizes, channels, aligned);
}
