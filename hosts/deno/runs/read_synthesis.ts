/** Reads what a synthesis is asked for: the profile, the data and the seed images. */
import { leastSide, type Plan, plan } from "../../../core/plan.ts";
import { type Profile, SEED_SOURCES, type SeedSourceName, Z_STEPS } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { resizedProfile } from "../../../core/resized_profile.ts";
import type { Size } from "../../../core/shape.ts";
import { suggestion } from "../../../core/suggestion.ts";
import { TILES } from "../../../core/tiling.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { checkPadding } from "../../../datasets/border.ts";
import { paddedTo } from "../../../datasets/fit_to_profile.ts";
import { type Colour, MAGENTA } from "../../../datasets/formats/colour.ts";
import { withMirroredTraining } from "../../../datasets/mirror.ts";
import { withWarpedTraining } from "../../../datasets/warps.ts";
import { morphTraining } from "../../../pipelines/synthesis/morph_training.ts";
import { fewHint, fewProfile } from "../../../pipelines/synthesis/hints.ts";
import { requestedClasses, requestedPlan, requestForFew } from "../../../pipelines/synthesis/request.ts";
import type { SeedSource } from "../../../pipelines/synthesis/seed_images.ts";
import { checkMaps, type TextureMap } from "../../../pipelines/synthesis/texture_maps.ts";
import type { SynthesisInput } from "../../../pipelines/synthesis/synthesize_images.ts";
import { denoRunner } from "../workers/deno_runner.ts";
import { readBackground } from "../data/background.ts";
import { readClassList } from "../data/classes.ts";
import { asRequest, RequestError, wholeNumber } from "../system/request_error.ts";
import { countOf, minLlOf } from "./counted_parts.ts";
import type { RunRequest } from "./run_request.ts";
import type { Input } from "../folders/out_folder.ts";
import { checkSameData, checkSamePlugins, type RunRecord } from "./repeat_run.ts";
import { BUILT_IN, findData } from "../data/find_data.ts";
import { findExemplars } from "../data/find_exemplars.ts";
import { namedMaps, readTextureMaps } from "../data/read_texture_maps.ts";
import { type GivenProfile, readProfile } from "../data/read_profile.ts";
import { readSeedImages } from "../data/read_seed_images.ts";

/**
 * Reads the input of a synthesis.
 *
 * @param run the run whose images are made again, if any
 * @param quiet whether to show no progress of work that takes seconds
 * @returns the input; where seed images come from, as the request names it; what was read; and what to expect of few images
 * @throws {RequestError} if the request cannot be carried out
 */
export async function readSynthesis(
  request: RunRequest,
  plugins: Registry,
  quiet: boolean,
  run?: Pick<RunRecord, "profile" | "data" | "plugins">,
): Promise<{ input: SynthesisInput; from: string; inputs: Input[]; hint?: string }> {
  const { seed = 1, dependencies = false } = request;
  const { plan, size, data: read, path, hint } = await readPlanAndData(request, plugins, quiet, run?.profile);
  if (run) {
    checkSamePlugins(run, plan);
    checkSameData(run.data, read);
  }
  // Morphs first: they are of real images, and their mirror images and deformed copies are learned from, too.
  const morphed = await withMorphs(read, plan, quiet);
  const mirrored = request.mirror ? withMirroredTraining(morphed) : morphed, copies = copiesOf(request.warp, plan);
  const data = copies > 0 ? withWarpedTraining(mirrored, copies) : mirrored;
  const from = request.from ?? plan.from ?? (plan.pixelArt ? "model" : plan.aligned ? "test" : "quilt");
  const classes = readClasses(plan.profile, data, request.class), count = countOf(request, classes);
  const minLl = minLlOf(request, plan);
  const seedSource = await readSeedSource(from, plan, readBackground(request.background));
  const maps = await readMaps(request, plan, data);
  const inputs = [
    path,
    data,
    typeof seedSource === "string" ? undefined : from,
    ...namedMaps(request.map ?? []).map(({ path }) => path),
  ];
  const input = { plan, size, data, classes, count, seed, seedSource, minLl, maps, dependencies };
  return { input, from, inputs, hint };
}

/**
 * Reads the companions of the exemplar.
 *
 * @throws {RequestError} if the images are not quilted as a whole
 */
async function readMaps(
  { map = [] }: RunRequest,
  { quiltLayer, layers }: Plan,
  { train: { images } }: DataSet,
): Promise<TextureMap[]> {
  if (map.length === 0) return [];
  if (quiltLayer === undefined || layers.length > 0) {
    throw new RequestError("Cannot use --map: expected a texture that is quilted without layers, got another profile");
  }
  const maps = await readTextureMaps(map);
  checkMaps(maps, images);
  return maps;
}

/** Adds the morphs of a plan to its training images. */
async function withMorphs(data: DataSet, plan: Plan, quiet: boolean): Promise<DataSet> {
  if (plan.morph === 0) return data;
  using runner = denoRunner({ threads: navigator.hardwareConcurrency, quiet });
  return await morphTraining(runner, data, plan);
}

/** Deformed copies of an image, at most: more than handwriting varies. */
const MAX_COPIES = 1000;

/** How many deformed copies of an image are learned from; 0 by default. */
function copiesOf(given: number | undefined, { aligned, pixelArt, profile }: Plan): number {
  if (given === undefined) return 0;
  if (!aligned) throw new RequestError("Cannot use --warp: expected a profile of aligned images, got one of exemplars");
  if (pixelArt) {
    throw new RequestError(`Cannot use --warp with pixel art ("${profile.name}"): deformed pixels have new colours`);
  }
  return wholeNumber("warp", String(given), 1, MAX_COPIES);
}

/** Reads the plan, the size of the images, which may be less than the plan's, and the data. */
async function readPlanAndData(
  request: RunRequest,
  plugins: Registry,
  quiet: boolean,
  profileOfRun?: Profile,
): Promise<{ plan: Plan; size: Size; data: DataSet; path?: string; hint?: string }> {
  const read: GivenProfile = profileOfRun
    ? { profile: profileOfRun }
    : await readProfile("synth", request.profile, plugins);
  const where = request.data ?? read.data, { size: requestedSize, without } = request;
  const planned = asRequest(() => planOf(read.profile, request, plugins));
  const { profile, aligned, channels, pixelArt } = planned, background = backgroundOf(request, planned);
  const pictures = { channels, background, cut: pixelArt, without, quiet };
  if (!aligned) {
    const fitting = requestedSize ? asRequest(() => plannedFor(planned, requestedSize, plugins)) : planned;
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
  const fitting = asRequest(() => plannedFor(planned, size, plugins));
  const data = await findData(profile.dataset, where, undefined, { ...pictures, size });
  checkPadding(data.train.images, fitting.sizes[0]); // a pack's images are padded later
  const isOther = where !== undefined && where !== BUILT_IN && data.name !== profile.dataset && !data.seeds;
  const isOwn = read.path !== undefined || profileOfRun !== undefined;
  const rest = { size, data: data.seeds ? data : paddedTo(data, fitting.sizes[0]), path: read.path };
  const few = profileOfRun || data.seeds ? undefined : fewProfile(profile, data);
  if (few) {
    // The request changes what the profile says of few images, too.
    const changed = asRequest(() => plannedFor(planOf(few, requestForFew(request), plugins), size, plugins));
    return { ...rest, plan: changed, hint: fewHint(profile, data, changed) };
  }
  const used = isOther && !isOwn ? asRequest(() => withOtherData(fitting, request, plugins)) : fitting;
  return { ...rest, plan: used };
}

/** Entries of images from noise that were measured on the images of a built-in profile. */
const MEASURED = ["windows", "minOriginality", "maxStructure"] as const;

/**
 * The plan of a built-in profile for other images than its own: windows and limits of images from noise were measured on its own,
 * so they are chosen anew, unless the request sets them.
 */
function withOtherData(planned: Plan, request: RunRequest, plugins: Registry): Plan {
  const { profile, noise } = planned;
  if (!noise || !profile.noise) return planned;
  const isSet = (name: typeof MEASURED[number]) => {
    const { set = [], minOriginality, maxStructure } = request;
    const flags = { minOriginality, maxStructure, windows: undefined };
    return flags[name] !== undefined || set.some((setting) => setting.startsWith(`noise.${name}`));
  };
  const measured: readonly string[] = MEASURED.filter((name) => !isSet(name));
  const kept = Object.entries(profile.noise).filter(([name]) => !measured.includes(name));
  return plan({ ...profile, noise: Object.fromEntries(kept) }, plugins);
}

/** What transparent pixels of training images become; in pixel art the colour that stands for them. */
function backgroundOf({ background }: RunRequest, { pixelArt }: Plan): Colour {
  return background === undefined && pixelArt ? MAGENTA : readBackground(background);
}

/** The flags that limit how near finished images may come to a training image, and the entries of a layer that they stand for. */
const LIMITS = [["min-originality", "minOriginality"], ["max-structure", "maxStructure"]] as const;

/** The settings of a plan's profile that limits of finished images stand for: those of the finest layer, or of images from noise. */
function limitSettings(
  given: Pick<RunRequest, "minOriginality" | "maxStructure">,
  { aligned, layers }: Plan,
): string[] {
  const finished = layers.length === 0 ? "noise" : "layers.0";
  return LIMITS.flatMap(([flag, entry]) => {
    if (given[entry] === undefined) return [];
    if (!aligned) {
      throw new RequestError(`Cannot use --${flag}: expected a profile of aligned images, got one of exemplars`);
    }
    return [`${finished}.${entry}=${given[entry]}`];
  });
}

/** Plans a profile with the changes of the request. */
function planOf(
  given: Profile,
  { prior, contexts: named = [], zStep, set = [], morph, tile, from, ...limits }: RunRequest,
  plugins: Registry,
): Plan {
  if (named.includes("none") && named.length > 1) {
    throw new RequestError(`Cannot use --context none with others: expected it alone, got ${named.join(", ")}`);
  }
  const contexts = named.length > 0 ? named.filter((name) => name !== "none") : undefined;
  asRequest(() => contexts?.forEach((name) => checkContext(name, plugins)));
  if (zStep !== undefined) checkChoice("z-step", zStep, Z_STEPS);
  const settings = [
    ...set,
    ...tileSettings(tile, given),
    ...morph === undefined ? [] : [`morph=${morph}`],
    ...fromSettings(from, given),
  ];
  const asked = { prior, contexts, zStep: zStep as Profile["zStep"], set: settings };
  const planned = requestedPlan(given, asked, plugins);
  const limited = limitSettings(limits, planned);
  return limited.length === 0 ? planned : requestedPlan(planned.profile, { set: limited }, plugins);
}

/** Sides of images that tile are multiples of it: so the profile can halve them for each of its layers. */
export function sizeUnit({ profile }: Plan): number {
  return 2 ** profile.layers.length;
}

/** Plans the same profile for images of a size. They are synthesized in a size that it can halve, and cropped. */
function plannedFor(planned: Plan, size: Size, plugins: Registry): Plan {
  const { profile, tile, sizes: [planSize] } = planned, { height, width } = size;
  if (planSize.height === height && planSize.width === width) return planned;
  const fitting = plan(resizedProfile(profile, size), plugins), [rounded] = fitting.sizes;
  const cut = [
    ...tile !== undefined && tile !== "y" && rounded.width !== width ? ["width"] : [],
    ...tile !== undefined && tile !== "x" && rounded.height !== height ? ["height"] : [],
  ];
  if (cut.length === 0) return fitting;
  const wanted = `a ${cut.join(" and a ")} of a multiple of ${sizeUnit(planned)}, at least ${leastSide(planned)}`;
  throw new RequestError(`Cannot use --size ${width}x${height} with images that tile: expected ${wanted}`);
}

/** Checks that a context is one of the plugins. The word for no context is among the valid ones that the error lists. */
function checkContext(name: string, { plugins }: Registry): void {
  const names = plugins.filter(({ kind }) => kind === "context").map(({ name }) => name);
  if (!names.includes(name)) throw new Error(`There is no context "${name}"${suggestion(name, [...names, "none"])}`);
}

/** Checks that the value of a flag is one of its words. */
function checkChoice(flag: string, given: string, choices: readonly string[]): void {
  if (!choices.includes(given)) throw new RequestError(`Cannot use --${flag} ${given}${suggestion(given, choices)}`);
}

/** The settings of the profile that tiling stands for. */
function tileSettings(given: string | undefined, profile: Profile): string[] {
  if (given === undefined) return [];
  checkChoice("tile", given, TILES);
  if (profile && profile.aligned !== false) { // `plan` checks the profile
    throw new RequestError("Cannot use --tile: expected a profile of exemplars, got one of aligned images");
  }
  return [`tile=${given}`];
}

/** The settings of the profile that the source of seed images stands for: files of seed images replace noise. */
function fromSettings(from: string | undefined, profile: Profile): string[] {
  if (from === undefined) return [];
  // Seed images of a path are given: none are quilted.
  if (profile?.aligned === false) return isSeedSourceName(from) ? [] : ["from=test"];
  if (isSeedSourceName(from)) return [`from=${from}`];
  return profile?.from === "noise" ? ["from=test"] : [];
}

function isSeedSourceName(from: string): from is SeedSourceName {
  return (SEED_SOURCES as readonly string[]).includes(from);
}

/**
 * The classes to synthesize in turn; [undefined] if classes do not count.
 *
 * @throws {RequestError} if there are no images of a class
 */
function readClasses(
  profile: Profile,
  { train, name, classes }: DataSet,
  given: string | undefined,
): (number | undefined)[] {
  const read = (requested?: number | "all") => {
    return asRequest(() => requestedClasses(profile, { labels: train.labels, name, classes }, requested));
  };
  if (given === undefined || given === "all") return read(given);
  // Without labels every class is refused for that reason, even if it is no number.
  if (!train.labels) throw new RequestError(`Cannot use --class ${given}: the images of ${name} have no labels`);
  return readClassList(given, { classes }).flatMap(read);
}

/** Where seed images come from: "test", "model", "quilt" or "noise"; those of a path are read. */
async function readSeedSource(
  from: string,
  { sizes, channels, aligned }: Plan,
  background: Colour,
): Promise<SeedSource> {
  if (from === "model" && !aligned) {
    throw new RequestError("Cannot use --from model for exemplars: expected quilt, or a path");
  }
  if (from === "test" && !aligned) {
    throw new RequestError(
      "Cannot use --from test for exemplars, which have no test images: expected quilt, or a path",
    );
  }
  if (from === "noise" && !aligned) {
    throw new RequestError("Cannot use --from noise for exemplars: expected quilt, or a path");
  }
  if (isSeedSourceName(from)) return from;
  return await readSeedImages(from, sizes, { channels, background }, aligned);
}
