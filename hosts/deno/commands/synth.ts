/** `deno task synth`: synthesizes images and writes them to a folder. */
import { leastSide, type Plan, plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { Size } from "../../../core/shape.ts";
import { TILES } from "../../../core/tiling.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { paddedTo } from "../../../datasets/fit_to_profile.ts";
import { type Colour, MAGENTA } from "../../../datasets/formats/colour.ts";
import { withMirroredTraining } from "../../../datasets/mirror.ts";
import { counted } from "../../../pipelines/report/counted.ts";
import { type EdgeEnergy, edgeEnergy, meanEdgeEnergy } from "../../../pipelines/synthesis/edge_energy.ts";
import type { Runner } from "../../../pipelines/runner.ts";
import { copiesHint } from "../../../pipelines/synthesis/copies_hint.ts";
import { exemplarHint } from "../../../pipelines/synthesis/exemplar_hint.ts";
import { neighboursHint } from "../../../pipelines/synthesis/neighbours_hint.ts";
import { requestedClasses, requestedPlan } from "../../../pipelines/synthesis/request.ts";
import type { SeedSource } from "../../../pipelines/synthesis/seed_images.ts";
import { prepareSynthesis, synthesizeImages } from "../../../pipelines/synthesis/synthesize_images.ts";
import {
  backgroundFlag,
  forceFlag,
  pluginFlags,
  quietFlag,
  readBackground,
  readClass,
  readFlagsOnly,
  readSeed,
  readSize,
  readThreads,
  sayer,
  threadsFlag,
} from "../cli/common_flags.ts";
import { asUsage, type Given, outFolder, UsageError } from "../cli/flags.ts";
import { partsFlags, readCount, readMinLl, readParts } from "../cli/parts_flags.ts";
import { print } from "../cli/printable.ts";
import { stopSignals } from "../cli/stop_signals.ts";
import { BUILT_IN, findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { readProfile } from "../data/read_profile.ts";
import { readSeedImages } from "../data/read_seed_images.ts";
import { checkSameData, comparedWith, readRun, type RunRecord } from "../output/repeat_run.ts";
import { repeatPage } from "../output/page_run.ts";
import { recordedFlags, repeatedFlags } from "../output/run_flags.ts";
import { openResults } from "../output/synthesis_results.ts";
import { type PartsRequest, writeParts } from "../output/write_parts.ts";
import { openPlugins } from "../plugins/open_plugins.ts";
import type { Plugins } from "../plugins/plugins.ts";
import { denoRunner } from "../workers/deno_runner.ts";

const FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what to synthesize: digits, faces, colour-faces, texture, sprites, digits-paper, faces-paper, a profile.json of your own, or a pack",
  },
  run: {
    value: "PATH|ADDRESS",
    about:
      "make the images of a run again: its run.json, its folder, or an address of the page (only --data, --plugin and flags below it go with it)",
  },
  size: { value: "WIDTHxHEIGHT", about: "size of the images; textures may have any (the profile's)" },
  count: { value: "N", about: "how many images (16)" },
  seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
  class: {
    value: "NAME|all",
    about: "one class only, by its number or name; all: one model of all classes together (each class in turn)",
  },
  data: {
    value: "PATH",
    about: "training images: IDX files, a folder of pictures, a pack, or the picture of a texture",
  },
  from: {
    value: "test|model|quilt|PATH",
    about:
      "seed images: from the test images, a model of the training images, blocks of an exemplar, or pictures or IDX files (test; for textures quilt)",
  },
  prior: { value: "NAME", about: "another prior than the profile's" },
  context: {
    value: "NAME",
    many: true,
    about: "a context in place of the profile's; several times for more; none: no context",
  },
  "z-step": {
    value: "sample|map|mean",
    about: "estimator of the z-step: a random patch, the likeliest one, or the mean (the profile's)",
  },
  set: {
    value: "NAME=VALUE",
    many: true,
    about: "changes a value of the profile: prior.neighbours=50, layers.0.window=1",
  },
  mirror: { about: "learn from the mirror images of the training images, too; run.json numbers them after the others" },
  without: {
    value: "ID,...",
    many: true,
    about:
      "leaves training images out, by number or file, as if they had never been there; the others keep their numbers",
  },
  tile: {
    value: "x|y|both",
    about: "textures only: images that continue without a seam beside themselves (x), below (y), or both",
  },
  "min-originality": {
    value: "X",
    about: "draws an image again, at most 8 times in all, while its originality is below X; keeps the most original",
  },
  ...partsFlags,
  ...backgroundFlag,
  ...pluginFlags,
  ...threadsFlag("bytes"),
  out: { value: "DIR", about: "where the results go (out/PROFILE)" },
  ...forceFlag,
  json: { about: "print run.json to the standard output; with parts, a line of JSON after each of them" },
  ...quietFlag,
} as const;

/** The command as its help, completions and `main.ts` know it. */
export const COMMAND = {
  name: "synth",
  about: "Synthesizes images by randomized patch-matching.",
  flags: FLAGS,
  examples: [
    "deno task synth --profile faces",
    "deno task synth --profile digits --class 3 --count 64 --seed 7 --out threes",
    "deno task synth --profile texture --data brick.png --size 300x200 --count 1",
    "deno task synth --run out/faces --out again",
    "deno task synth --profile texture --data brick.png --tile both --count 1",
    "deno task synth --profile sprites --data my-sprites --count 100",
    "deno task synth --profile digits --set prior.neighbours=20 --context none",
  ],
  run: synthCommand,
} as const;

/** Runs `synth`; returns the exit code. */
export async function synthCommand(args: string[]): Promise<number> {
  const flags = readFlagsOnly(args, COMMAND);
  if (!flags) return 0;
  const repeated = flags.run === undefined ? undefined : await readRun(flags.run);
  if (repeated && "link" in repeated) {
    sayer(flags.quiet)(await repeatPage(repeated, flags.data, flags.out ?? "out/page", flags.force));
    return 0;
  }
  const given = repeated ? repeatedFlags(FLAGS, flags, repeated) : flags;
  const started = performance.now(), say = sayer(given.quiet);
  const seed = readSeed(given.seed), threads = readThreads(given.threads);
  const plugins = await openPlugins(given.plugin, given.sandbox, say);
  const { plan, size, data: read } = await readPlanAndData(given, plugins.registry, repeated?.profile);
  if (repeated) checkSameData(repeated.data, read);
  const data = given.mirror ? withMirroredTraining(read) : read;
  const out = given.out ?? outFolder("synth", plan.profile.name);
  const from = given.from ?? (plan.pixelArt ? "model" : plan.aligned ? "test" : "quilt");
  const classes = readClasses(plan.profile, data, given.class), count = readCount(given, classes);
  const minLl = readMinLl(given, plan), parts = readParts(given, count);
  for (const idle of idlePlugins(plan, plugins)) say(idle);

  using signals = stopSignals();
  const runner = denoRunner({ threads, plugins, quiet: given.quiet, stopped: signals.came });
  const seedSource = await readSeedSource(from, plan, readBackground(given.background));
  const input = { plan, size, data, classes, count, seed, seedSource, minLl };
  if (parts) {
    signals.listen();
    say(`Data: ${data.origin}`);
    const { resume, force, json } = given;
    await makeParts(
      runner,
      { input, ...parts, from, plugins, threads, out, resume, force, flags: recordedFlags(FLAGS, given) },
      json,
      say,
    );
    return 0;
  }
  const prepared = await prepareSynthesis(runner, input);
  await using results = await openResults(out, prepared.input, given.force);
  const loaded = performance.now();
  signals.listen(); // until the results are written
  say(`Data: ${data.origin}`);
  // The built-in digits stand in for MNIST, which has 15 times as many.
  const own = given.data !== undefined && given.data !== BUILT_IN;
  const hint = plan.aligned ? own && neighboursHint(plan, data, classes) : exemplarHint(data, size);
  if (hint) say(hint);

  const synthesized = await synthesizeImages(runner, prepared, results.images);
  const finished = synthesized.done.length, seconds = synthesized.times.synthesis / 1000;
  if (finished === 0) throw new Error(`Stopped before the first image was finished: ${out} is unchanged`);
  const run = { ...prepared, ...synthesized, from, plugins };
  const summary = await results.finish(run, { threads, load: loaded - started, flags: recordedFlags(FLAGS, given) });
  if (given.json) print(JSON.stringify(summary, null, 2));
  if (finished < count) throw new Error(`Stopped: ${finished} of ${count} images were finished and are in ${out}`);
  const pace = `in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} a second)`;
  say(`${counted(count, "image")} ${pace}: ${out}/sheet.png`);
  const copies = copiesHint(plan, synthesized.done, Math.min(...prepared.work.trainings.map(({ count }) => count)));
  if (copies) say(copies);
  if (repeated) say(comparedWith(repeated, summary as RunRecord));
  const { tile } = plan;
  if (tile) say(edgeText(meanEdgeEnergy(synthesized.done.map(({ pixels }) => edgeEnergy(size, pixels, tile)))));
  return 0;
}

/** Makes parts and says what came of it: with `json` in lines of JSON. */
async function makeParts(
  runner: Runner,
  request: PartsRequest,
  json: boolean,
  say: (text: string) => void,
): Promise<void> {
  const line = (value: object) => json && print(JSON.stringify(value));
  const made = await writeParts(runner, request, ({ first, count }, { done, wanted, rate }) => {
    line({ first, count, done, wanted, rate: rounded(rate), secondsLeft: rounded((wanted - done) / rate) });
  });
  const { done, wanted, kept, rate, seconds } = made, { out } = request;
  line({ done, wanted, kept, seconds: rounded(seconds), rate: rounded(rate), out });
  if (done < wanted) {
    throw new Error(`Stopped: ${done} of ${wanted} images were finished and are in ${out}; --resume goes on`);
  }
  const before = kept > 0 ? `; ${kept} were there` : "";
  say(`${counted(done, "image")} in ${seconds.toFixed(1)} s (${rate.toFixed(1)} a second)${before}: ${out}`);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Says how much more neighbouring pixels differ across the edges of images than inside. */
function edgeText({ x, y }: EdgeEnergy): string {
  const ratios = [
    ...x === undefined ? [] : [`${x.toFixed(2)} in x`],
    ...y === undefined ? [] : [`${y.toFixed(2)} in y`],
  ];
  return `Edge energy ratio: ${ratios.join(", ")} (near 1: as inside, seamless)`;
}

type SynthFlags = Given<typeof FLAGS>;

/** Reads the plan, the size of the images, which may be less than the plan's, and the data. */
async function readPlanAndData(
  given: SynthFlags,
  plugins: Registry,
  profileOfRun?: Profile,
): Promise<{ plan: Plan; size: Size; data: DataSet }> {
  const read = profileOfRun ? { profile: profileOfRun, data: undefined } : await readProfile("synth", given.profile);
  const where = given.data ?? read.data;
  const requestedSize = given.size === undefined ? undefined : readSize(given.size);
  const planned = asUsage(() => planOf(read.profile, given, plugins));
  const { profile, aligned, channels, pixelArt } = planned, background = backgroundOf(given, planned);
  const pictures = { channels, background, cut: pixelArt, without: given.without };
  if (!aligned) {
    const fitting = requestedSize ? asUsage(() => plannedFor(planned, requestedSize, plugins)) : planned;
    const data = await findExemplars(profile.dataset, pictures, leastSide(planned), where);
    const size = requestedSize ?? planned.sizes[0];
    // Grey exemplars make grey images, even if the profile is of colour images.
    const grey = (data.train.images.channels ?? 1) < channels;
    return { plan: grey ? plan({ ...fitting.profile, channels: 1 }, plugins) : fitting, size, data };
  }
  // Pixel art has the size of the pictures.
  const pictureSize = pixelArt && !requestedSize &&
    (await findData(profile.dataset, where, undefined, pictures)).train.images;
  const { height, width } = requestedSize ?? (pictureSize || planned.sizes[0]), size = { height, width };
  const fitting = asUsage(() => plannedFor(planned, size, plugins));
  const data = await findData(profile.dataset, where, undefined, { ...pictures, size });
  return { plan: fitting, size, data: data.seeds ? data : paddedTo(data, fitting.sizes[0]) };
}

/** What transparent pixels of training images become; in pixel art the colour that stands for them. */
function backgroundOf({ background }: SynthFlags, { pixelArt }: Plan): Colour {
  return background === undefined && pixelArt ? MAGENTA : readBackground(background);
}

/** Reads the value of `--min-originality`, a number of at least 0. Returns the settings of the profile that it stands for. */
function readMinOriginality(given: string | undefined, profile: Profile): string[] {
  if (given === undefined) return [];
  if (profile?.aligned === false) { // `plan` checks the profile
    throw new UsageError("Cannot use --min-originality: expected a profile of aligned images, got one of exemplars");
  }
  const value = given.trim() === "" ? NaN : Number(given);
  if (value >= 0 && value < Infinity) return [`layers.0.minOriginality=${value}`];
  throw new UsageError(`Cannot use --min-originality ${given}: expected a number >= 0`);
}

/** Plans a profile with the changes of the flags. */
function planOf(
  given: Profile,
  { prior, context, "z-step": zStep, set, "min-originality": minOriginality, tile }: SynthFlags,
  plugins: Registry,
): Plan {
  if (context.includes("none") && context.length > 1) {
    throw new UsageError(`Cannot use --context none with others: expected it alone, got ${context.join(", ")}`);
  }
  const contexts = context.length > 0 ? context.filter((name) => name !== "none") : undefined;
  const settings = [...set, ...readMinOriginality(minOriginality, given), ...readTile(tile, given)];
  return requestedPlan(given, { prior, contexts, zStep: zStep as Profile["zStep"], set: settings }, plugins);
}

/** Plans the same profile for images of a size. They are synthesized in a size that it can halve, and cropped. */
function plannedFor(planned: Plan, size: Size, plugins: Registry): Plan {
  const { profile, tile, sizes: [own] } = planned, { height, width } = size;
  if (own.height === height && own.width === width) return planned;
  const fitting = plan(resizedProfile(profile, size), plugins), [rounded] = fitting.sizes;
  const cut = [
    ...tile !== undefined && tile !== "y" && rounded.width !== width ? ["width"] : [],
    ...tile !== undefined && tile !== "x" && rounded.height !== height ? ["height"] : [],
  ];
  if (cut.length === 0) return fitting;
  const wanted = `a ${cut.join(" and a ")} of a multiple of ${2 ** profile.layers.length}, at least ${
    leastSide(planned)
  }`;
  throw new UsageError(`Cannot use --size ${width}x${height} with images that tile: expected ${wanted}`);
}

/** Reads the value of `--tile`. Returns the settings of the profile that it stands for. */
function readTile(given: string | undefined, profile: Profile): string[] {
  if (given === undefined) return [];
  if (!(TILES as readonly string[]).includes(given)) {
    throw new UsageError(`Cannot use --tile ${given}: expected ${TILES.join(" or ")}`);
  }
  if (profile && profile.aligned !== false) { // `plan` checks the profile
    throw new UsageError("Cannot use --tile: expected a profile of exemplars, got one of aligned images");
  }
  return [`tile=${given}`];
}

/** Returns a sentence for each plugin that was loaded but is not used. */
function idlePlugins({ layers }: Plan, { registry }: Plugins): string[] {
  const used = layers.flatMap(({ prior, contexts }) => [prior, ...contexts]).map(({ plugin }) => plugin.name);
  const idle = registry.plugins.filter(({ from, kind, name }) => from && kind !== "metric" && !used.includes(name));
  return idle.map(({ kind, name }) => `The ${kind} "${name}" is loaded but not used (add --${kind} ${name})`);
}

/**
 * Reads the value of `--class`. Returns the classes to synthesize in turn; [undefined] if classes do not count.
 *
 * @throws {UsageError} if there are no images of the class
 */
function readClasses(
  profile: Profile,
  { train, name, classes }: DataSet,
  given: string | undefined,
): (number | undefined)[] {
  // Without labels every class is refused for that reason, even if it is no number.
  const requested = given === undefined || given === "all" || !train.labels ? given : readClass(given, classes);
  if (typeof requested === "string" && requested !== "all") {
    throw new UsageError(`Cannot use --class ${given}: the images of ${name} have no labels`);
  }
  return asUsage(() => requestedClasses(profile, train.labels, requested, name));
}

/** Reads the value of `--from`: "test", "model" or "quilt", or the path of seed images, which are read. */
async function readSeedSource(
  from: string,
  { sizes, channels, aligned }: Plan,
  background: Colour,
): Promise<SeedSource> {
  if (from === "model" && !aligned) {
    throw new UsageError("Cannot use --from model for exemplars: expected quilt, or a path");
  }
  if (from === "test" && !aligned) {
    throw new UsageError("Cannot use --from test for exemplars, which have no test images: expected quilt, or a path");
  }
  if (from === "test" || from === "model" || from === "quilt") return from;
  return await readSeedImages(from, sizes, { channels, background }, aligned);
}
