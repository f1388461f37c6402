/** The flags of `synth`, and the request that they stand for. */
import { MAX_COPIES, MAX_ORIGINALITY, MAX_PARTNERS } from "../../../../core/limits.ts";
import { suggestion } from "../../../../core/suggestion.ts";
import { type SheetKind, SHEETS } from "../../../../pipelines/synthesis/poster.ts";
import type { FormatName } from "../../../../pipelines/shards/formats.ts";
import { isGiven, type RecordedRequest, requestAgain, type RunRequest } from "../../runs/run_request.ts";
import { backgroundFlag, forceFlag, pluginFlags, quietFlag, readSeed, readSize, threadsFlag } from "./common_flags.ts";
import { engineFlags, packUrlFlag } from "./engine_flags.ts";
import { type Given, UsageError, wholeNumber } from "./flags.ts";

/** The formats of parts: those of `pipelines/shards/formats.ts`, which brings the code of all of them. */
const FORMATS: readonly FormatName[] = ["png", "idx", "npy", "webdataset", "parquet"];
/** Images are numbered by u32. */
const MAX_IMAGES = 2 ** 32;

/** The flags. */
export const SYNTH_FLAGS = {
  profile: {
    value: "NAME|FILE",
    about:
      "what to synthesize: digits, faces, faces-relit, colour-faces, colour-faces-relit, objects, texture, sprites, digits-paper, faces-paper, a profile.json of your own, or a pack",
  },
  run: {
    value: "PATH|ADDRESS",
    about:
      "make the images of a run again: its run.json, its folder, or an address of the page; goes with flags that change no image, such as --data, --shard, --plugin and --out",
  },
  size: { value: "WIDTHxHEIGHT", about: "size of the images; textures may have any (the profile's)" },
  count: { value: "N", about: "how many images (16)" },
  seed: { value: "N", about: "random seed: the same seed gives the same bytes (1)" },
  class: {
    value: "LIST|all",
    about:
      "these classes in turn: 3 or 0-9 or 1,3,7-9 or cats,dogs; all: one model of all classes together (each class in turn)",
  },
  data: {
    value: "PATH",
    about:
      "training images: IDX, NPY, NPZ, Parquet or WebDataset files, a folder of pictures, a pack, or the picture of a texture",
  },
  from: {
    value: "test|model|quilt|noise|PATH",
    about:
      "where images begin: seed images of test images, from a model of the training images, from blocks of an exemplar, or from a path of pictures or images; or pure noise (test; for textures quilt)",
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
    about: "change a value of the profile: prior.neighbours=50, layers.0.window=1",
  },
  mirror: { about: "learn from the mirror images of the training images, too; run.json numbers them after the others" },
  warp: {
    value: "N",
    about:
      "learn from N deformed copies of each training image, too, for few images of handwriting; run.json numbers them last",
  },
  morph: {
    value: "N",
    about:
      "learn from morphs of each training image with up to N others like it, too: for few photographs of faces; 10 suits 100 photographs",
  },
  without: {
    value: "ID,...",
    many: true,
    about:
      "leave training images out, by number or file, as if they had never been there; the others keep their numbers",
  },
  tile: {
    value: "x|y|both",
    about: "textures only: make images that continue without a seam to the right (x), below (y), or both",
  },
  map: {
    value: "NAME=PATH",
    many: true,
    about:
      "textures only: make a map along with each image, from the exemplar's own map, a PNG of 8 or 16 bits: height=height.png; several times for more",
  },
  "min-originality": {
    value: "X",
    about: "draw an image again, at most 8 times in all, while its originality is below X; keep the most original",
  },
  "max-structure": {
    value: "X",
    about:
      "draw an image again, at most 8 times in all, while the structure that it shares with a training image is above X (0 to 1); if it always is, keep the try that shares least",
  },
  dependencies: {
    about:
      "write which training images each image depends on, in all layers, so that forget makes only dependent images anew",
  },
  "per-class": { value: "N", about: "how many images of each class, in place of --count" },
  ll: { about: "measure the log-likelihood of each image" },
  "min-ll": {
    value: "X",
    about: "draw an image again, at most 8 times in all, while its log-likelihood is below X; keep the likeliest",
  },
  shard: {
    value: "N/M|FIRST-LAST",
    about: "make the N-th of M equal shares of the images, or a range of them, in parts; merge joins shards",
  },
  format: {
    value: FORMATS.join("|"),
    about: "the images as single pictures and a sheet (png), or in parts (idx with --shard, or more than 10000 images)",
  },
  part: {
    value: "N",
    about:
      "how many images a part has: so many are held in memory, and lost if the run is killed (4 MB of pixels; with --engine 1 MB)",
  },
  sheet: {
    value: SHEETS.join("|"),
    about:
      "what sheet.png shows: each image beside its nearest training image, the new images alone in rows, or these without gaps and with their transparent pixels, as games take them (compared)",
  },
  resume: { about: "keep the images or parts that are in --out, and make what is missing" },
  ...backgroundFlag,
  ...pluginFlags,
  ...threadsFlag("bytes"),
  ...engineFlags,
  ...packUrlFlag,
  out: { value: "DIR", about: "where the results go (out/PROFILE)" },
  ...forceFlag,
  json: { about: "print run.json to the standard output; with parts, a line of JSON after each of them" },
  ...quietFlag,
} as const;

/** Their values. */
export type SynthFlags = Given<typeof SYNTH_FLAGS>;

/** Flags that change no byte of an image. */
const AROUND = "run out threads engine engine-ca engine-key pack-url force json quiet resume".split(" ");
/** Flags of what may differ from the first run: where data and plugins are, which images go into which files, and what the sheet shows. */
const PLACES = "data plugin sandbox shard part sheet".split(" ");

/** Flags that go with a picture of the page, which is made again alone. */
const OF_PAGE = "run data out force threads quiet".split(" ");

/** Reads what a synthesis is asked for. */
export function readRunRequest(given: SynthFlags): RunRequest {
  const { size, count, seed, morph, warp, "per-class": perClass, "min-ll": minLl } = given;
  const { context: contexts, "z-step": zStep, "min-originality": minOriginality } = given;
  const { "max-structure": maxStructure } = given;
  return {
    ...placesOf(given),
    ...pick(given, ["profile", "class", "from", "background", "prior", "set", "tile", "without", "map"]),
    ...pick(given, ["mirror", "dependencies", "ll"]),
    contexts,
    zStep,
    format: given.format === undefined ? undefined : readFormat(given.format),
    size: size === undefined ? undefined : readSize(size),
    count: count === undefined ? undefined : wholeNumber("count", count, 1, MAX_IMAGES),
    perClass: perClass === undefined ? undefined : wholeNumber("per-class", perClass, 1, MAX_IMAGES),
    seed: seed === undefined ? undefined : readSeed(seed),
    morph: morph === undefined ? undefined : wholeNumber("morph", morph, 0, MAX_PARTNERS),
    warp: warp === undefined ? undefined : wholeNumber("warp", warp, 1, MAX_COPIES),
    minLl: minLl === undefined ? undefined : readNumber("min-ll", minLl, -Infinity, "a number, such as -80"),
    minOriginality: minOriginality === undefined
      ? undefined
      : readNumber("min-originality", minOriginality, 0, `a number from 0 to ${MAX_ORIGINALITY}`, MAX_ORIGINALITY),
    maxStructure: maxStructure === undefined
      ? undefined
      : readNumber("max-structure", maxStructure, 0, "a number from 0 to 1", 1),
  };
}

/**
 * Reads what a synthesis is asked for that makes the images of a run again.
 *
 * @throws {UsageError} if a flag is given that would change the images
 */
export function readRepeatedRequest(given: SynthFlags, recorded: RecordedRequest): RunRequest {
  checkOnly(given, [...AROUND, ...PLACES], "which makes the images of a run again");
  return requestAgain(recorded, placesOf(given));
}

/**
 * Checks the flags beside a picture of the page, which is made again.
 *
 * @throws {UsageError} if one is given that would do nothing
 */
export function checkFlagsOfPage(given: SynthFlags): void {
  checkOnly(given, OF_PAGE, "which makes the picture of the page again");
}

/** Checks that no other flags are given beside --run. */
function checkOnly(given: SynthFlags, allowed: readonly string[], why: string): void {
  const names = Object.keys(SYNTH_FLAGS) as (keyof SynthFlags)[];
  const other = names.find((name) => !allowed.includes(name) && isGiven(given[name]));
  if (other) throw new UsageError(`Cannot use --${other} with --run, ${why}`);
}

/** The entries of a request that change no image: where data and plugins are, and what goes into which files; those that are given. */
function placesOf({ data, plugin, sandbox, shard, part, sheet }: SynthFlags): RecordedRequest {
  return {
    ...data !== undefined && { data },
    ...plugin.length > 0 && { plugin },
    ...sandbox && { sandbox },
    ...shard !== undefined && { shard },
    ...part !== undefined && { part: wholeNumber("part", part, 1, MAX_IMAGES) },
    ...sheet !== undefined && { sheet: readSheet(sheet) },
  };
}

function pick<T, const K extends keyof T>(values: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<T, K>;
}

function readSheet(given: string): SheetKind {
  const kind = SHEETS.find((name) => name === given);
  if (!kind) throw new UsageError(`Cannot use --sheet ${given}: expected ${SHEETS.join(" or ")}`);
  return kind;
}

function readFormat(given: string): FormatName {
  const format = FORMATS.find((name) => name === given);
  if (!format) throw new UsageError(`Cannot use --format ${given}${suggestion(given, FORMATS)}`);
  return format;
}

function readNumber(name: string, given: string, low: number, expected: string, high = Infinity): number {
  const value = given.trim() === "" ? NaN : Number(given);
  if (Number.isFinite(value) && value >= low && value <= high) return value;
  throw new UsageError(`Cannot use --${name} ${given}: expected ${expected}`);
}
