/** Reads what the flags of `synth` say, and the data that they name. */
import { leastSide, type Plan, plan } from "../../../core/plan.ts";
import { type Profile, SEED_SOURCES, type SeedSourceName } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { Size } from "../../../core/shape.ts";
import { TILES } from "../../../core/tiling.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { paddedTo } from "../../../datasets/fit_to_profile.ts";
import { type Colour, MAGENTA } from "../../../datasets/formats/colour.ts";
import { withMirroredTraining } from "../../../datasets/mirror.ts";
import { withWarpedTraining } from "../../../datasets/warps.ts";
import { requestedClasses, requestedPlan } from "../../../pipelines/synthesis/request.ts";
import type { SeedSource } from "../../../pipelines/synthesis/seed_images.ts";
import type { SynthesisInput } from "../../../pipelines/synthesis/synthesize_images.ts";
import { readBackground, readClassList, readSeed, readSize, sayer } from "../commands/flags/common_flags.ts";
import { asUsage, UsageError, wholeNumber } from "../commands/flags/flags.ts";
import { readCount, readMinLl } from "../commands/flags/parts_flags.ts";
import type { SynthFlags } from "../commands/flags/synth_flags.ts";
import type { Input } from "../folders/out_folder.ts";
import { checkSameData, checkSamePlugins, type RunRecord } from "./repeat_run.ts";
import { findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { type GivenProfile, readProfile } from "../data/read_profile.ts";
import { readSeedImages } from "../data/read_seed_images.ts";

/**
 * Reads the input of a synthesis.
 *
 * @param run the run whose images are made again, if any
 * @returns the input; where seed images come from, as flags name it; and what was read
 * @throws {UsageError} if a flag is wrong
 */
export async function readSynthesis(
  given: SynthFlags,
  plugins: Registry,
  run?: Pick<RunRecord, "profile" | "data" | "plugins">,
): Promise<{ input: SynthesisInput; from: string; inputs: Input[] }> {
  const seed = readSeed(given.seed);
  const { plan, size, data: read, path } = await readPlanAndData(given, plugins, run?.profile);
  if (run) {
    checkSamePlugins(run, plan);
    checkSameData(run.data, read);
  }
  const mirrored = given.mirror ? withMirroredTraining(read) : read, copies = readWarp(given.warp, plan);
  const data = copies > 0 ? withWarpedTraining(mirrored, copies) : mirrored;
  const from = given.from ?? plan.from ?? (plan.pixelArt ? "model" : plan.aligned ? "test" : "quilt");
  const classes = readClasses(plan.profile, data, given.class), count = readCount(given, classes);
  const minLl = readMinLl(given, plan);
  const seedSource = await readSeedSource(from, plan, readBackground(given.background));
  const { dependencies } = given;
  const inputs = [path, data, typeof seedSource === "string" ? undefined : from];
  return { input: { plan, size, data, classes, count, seed, seedSource, minLl, dependencies }, from, inputs };
}

/** Deformed copies of an image, at most: more than handwriting varies. */
const MAX_COPIES = 1000;

/** Reads the value of `--warp`; 0 by default. */
function readWarp(given: string | undefined, { aligned, pixelArt, profile }: Plan): number {
  if (given === undefined) return 0;
  if (!aligned) throw new UsageError("Cannot use --warp: expected a profile of aligned images, got one of exemplars");
  if (pixelArt) {
    throw new UsageError(`Cannot use --warp with pixel art ("${profile.name}"): deformed pixels have new colours`);
  }
  return wholeNumber("warp", given, 1, MAX_COPIES);
}

/** Reads the plan, the size of the images, which may be less than the plan's, and the data. */
async function readPlanAndData(
  given: SynthFlags,
  plugins: Registry,
  profileOfRun?: Profile,
): Promise<{ plan: Plan; size: Size; data: DataSet; path?: string }> {
  const read: GivenProfile = profileOfRun ? { profile: profileOfRun } : await readProfile("synth", given.profile);
  const where = given.data ?? read.data;
  const requestedSize = given.size === undefined ? undefined : readSize(given.size);
  const planned = asUsage(() => planOf(read.profile, given, plugins));
  const { profile, aligned, channels, pixelArt } = planned, background = backgroundOf(given, planned);
  const pictures = { channels, background, cut: pixelArt, without: given.without, say: sayer(given.quiet) };
  if (!aligned) {
    const fitting = requestedSize ? asUsage(() => plannedFor(planned, requestedSize, plugins)) : planned;
    const data = await findExemplars(profile.dataset, pictures, leastSide(planned), where);
    const size = requestedSize ?? planned.sizes[0];
    // Grey exemplars make grey images, even if the profile is of colour images.
    const grey = (data.train.images.channels ?? 1) < channels;
    return { plan: grey ? plan({ ...fitting.profile, channels: 1 }, plugins) : fitting, size, data, path: read.path };
  }
  // Pixel art has the size of the pictures.
  const pictureSize = pixelArt && !requestedSize &&
    (await findData(profile.dataset, where, undefined, pictures)).train.images;
  const { height, width } = requestedSize ?? (pictureSize || planned.sizes[0]), size = { height, width };
  const fitting = asUsage(() => plannedFor(planned, size, plugins));
  const data = await findData(profile.dataset, where, undefined, { ...pictures, size });
  return { plan: fitting, size, data: data.seeds ? data : paddedTo(data, fitting.sizes[0]), path: read.path };
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
  { prior, context, "z-step": zStep, set, "min-originality": minOriginality, tile, from }: SynthFlags,
  plugins: Registry,
): Plan {
  if (context.includes("none") && context.length > 1) {
    throw new UsageError(`Cannot use --context none with others: expected it alone, got ${context.join(", ")}`);
  }
  const contexts = context.length > 0 ? context.filter((name) => name !== "none") : undefined;
  const settings = [
    ...set,
    ...readMinOriginality(minOriginality, given),
    ...readTile(tile, given),
    ...readFrom(from, given),
  ];
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

/** Reads the value of `--from`. Returns the settings of the profile that it stands for: files of seed images replace noise. */
function readFrom(from: string | undefined, profile: Profile): string[] {
  if (from === undefined || profile?.aligned === false) return [];
  if (isSeedSourceName(from)) return [`from=${from}`];
  return profile?.from === "noise" ? ["from=test"] : [];
}

function isSeedSourceName(from: string): from is SeedSourceName {
  return (SEED_SOURCES as readonly string[]).includes(from);
}

/**
 * Reads the value of `--class`. Returns the classes to synthesize in turn; [undefined] if classes do not count.
 *
 * @throws {UsageError} if there are no images of a class
 */
function readClasses(
  profile: Profile,
  { train, name, classes }: DataSet,
  given: string | undefined,
): (number | undefined)[] {
  const read = (requested?: number | "all") => {
    return asUsage(() => requestedClasses(profile, { labels: train.labels, name, classes }, requested));
  };
  if (given === undefined || given === "all") return read(given);
  // Without labels every class is refused for that reason, even if it is no number.
  if (!train.labels) throw new UsageError(`Cannot use --class ${given}: the images of ${name} have no labels`);
  return readClassList(given, { classes }).flatMap(read);
}

/** Reads the value of `--from`: "test", "model", "quilt" or "noise", or the path of seed images, which are read. */
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
  if (from === "noise" && !aligned) {
    throw new UsageError("Cannot use --from noise for exemplars: expected quilt, or a path");
  }
  if (isSeedSourceName(from)) return from;
  return await readSeedImages(from, sizes, { channels, background }, aligned);
}
