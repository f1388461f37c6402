/** Profiles: what one may hold, stated once as tables. */
import type { Table, Written } from "./entries.ts";
import { ORDERS } from "./locations.ts";
import { MAX_FEATHER } from "./merge_weights.ts";
import { MAX_ORIGINALITY, MAX_PARTNERS } from "./limits.ts";
import { NOISE } from "./noise_entries.ts";
import type { AnyPlugin } from "./plugin.ts";
import { REGION } from "./regions.ts";
import { LARGEST_SIDE } from "./shape.ts";
import { TILES } from "./tiling.ts";
import type { ZStep } from "./types.ts";

/** The estimators of the z-step. */
export const Z_STEPS = ["sample", "map", "mean"] as const satisfies readonly ZStep[];

/**
 * A model of seed images, fitted to those of the training images: "gaussian", one Gaussian, which the paper names; "parzen", a
 * narrow Gaussian around each of them; "warped", training images that are deformed a little and then reduced, for images that
 * deform as handwriting does.
 */
export type SeedModelKind = "gaussian" | "parzen" | "warped";
/** The models of seed images. */
export const SEED_MODELS = ["gaussian", "parzen", "warped"] as const satisfies readonly SeedModelKind[];

/**
 * Where seed images come from: "test", test images; "model", the profile's model of seed images; "quilt", blocks of training
 * images; "noise", pure noise from which a denoiser makes them (`NOISE`).
 */
export const SEED_SOURCES = ["test", "model", "quilt", "noise"] as const;
/** The name of a source of seed images. */
export type SeedSourceName = typeof SEED_SOURCES[number];

/** What morphs are made of: two images, or two morphs of two. */
export const MORPHS = ["pairs", "fours"] as const;

const PIXELS = { type: "integer", min: 0, max: LARGEST_SIDE } as const;
const SIDE = { type: "integer", min: 2, max: LARGEST_SIDE } as const;
const POSITIVE = { type: "number", above: 0 } as const;

/** The entries of a layer, as in the paper's tables 1 and 2. */
export const LAYER = {
  overlap: { ...PIXELS, about: "pixels that neighbouring patches share; below the patch's side" },
  iterations: { type: "integer", min: 1, max: 65535, about: "K: iterations of the ADMM" },
  /** neighbor-window-size of the paper. */
  window: {
    ...PIXELS,
    about: "how far patches of training images may be displaced: by less than this; 0 and 1: not at all",
  },
  /** Equation (local prior). In squared LR distance of pixels in [0, 1], or in variances with `relativeH`. */
  h: {
    type: "list",
    of: POSITIVE,
    length: "iterations",
    about: "randomness of the prior, one for each iteration; larger: more variety, less like the LR image",
  },
  /** Equation (epll admm). */
  lambda: {
    type: "list",
    of: { type: "number", min: 0 },
    length: "iterations",
    about: "how much the reduced image has to agree with the LR image, one for each iteration; 0: not at all",
  },
  /** Equation (epll admm). */
  rho: {
    type: "list",
    of: POSITIVE,
    length: "iterations",
    about: "how much the drawn patches have to agree with the image, one for each iteration",
  },
  /** Cycle spinning. Each is >= 0 and below patch - overlap. */
  offsets: {
    type: "list",
    of: { type: "pair", of: PIXELS, expected: "a pair [x, y]" },
    length: "iterations",
    about: "shift [x, y] of the patches, one for each iteration",
  },
  prior: {
    type: "plugin",
    kind: "prior",
    optional: true,
    about: "another prior than the profile's; options that are left out are the profile's",
  },
  contexts: {
    type: "list",
    of: { type: "plugin", kind: "context" },
    expected: "a list of contexts",
    optional: true,
    about: "other contexts than the profile's; options that are left out are the profile's",
  },
  /** 0 is the paper's average. The weight of row or column t is sin(pi (t + 1/2) / n)^feather. */
  feather: {
    type: "integer",
    min: 0,
    max: MAX_FEATHER,
    default: 0,
    tune: { low: 0, high: 6, everywhere: true },
    about: "how much patches count less towards their borders where they are merged; 0: the average",
  },
  /** As large as the layer's images: one patch is the whole image. */
  patch: { ...SIDE, parity: "even", optional: true, about: "n in this layer; the profile's where it is left out" },
  /** It counts for priors that look at what was drawn before: those with an option such as `bonus`. */
  order: {
    type: "choice",
    choices: ORDERS,
    default: "rows",
    about: "order of the patches: row by row, or each row from its centre outwards",
  },
  /** Drawn again from the coarsest layer on, at most 8 times in all. For aligned images. */
  minOriginality: {
    type: "number",
    min: 0,
    max: MAX_ORIGINALITY,
    default: 0,
    about: "images of this layer that are nearer to a training image are drawn again; 0: none",
  },
  /** `structureRows`. Drawn again as with `minOriginality`. For aligned images. Not in the paper. */
  maxStructure: {
    type: "number",
    min: 0,
    max: 1,
    default: 1,
    about: "images of this layer that share more structure with a training image are drawn again; 1: none",
  },
  /** Each patch becomes the nearest one of the training images, whatever the LR image. Not in the paper. For aligned images. */
  projection: {
    type: "integer",
    min: 0,
    max: 65535,
    default: 0,
    tune: { low: 0, high: 8 },
    about: "iterations at the end that take the nearest training patches of the same place; more: patches agree more",
  },
} as const satisfies Table;

/** The denoiser of images from noise where a profile names none. */
export const DEFAULT_DENOISER = "local-score";

/** Virtual training images: not in the paper. */
const MORPHED = {
  morph: {
    type: "integer",
    min: 0,
    max: MAX_PARTNERS,
    default: 0,
    about: "the most others that each training image is morphed with, to learn from the morphs, too",
  },
  /** Fours are smoother, and nearer to none of the images. */
  morphOf: {
    type: "choice",
    choices: MORPHS,
    default: "pairs",
    about: "what is learned from; pairs: the images and their morphs; fours: morphs of two morphs each instead",
  },
} as const satisfies Table;

/** What changes in a profile where there are few training images; entries that are left out do not. */
export const FEW = {
  below: {
    type: "integer",
    min: 0,
    max: 65535,
    about: "the least number of training images that are not few; with classes, in the smallest class",
  },
  expect: { type: "text", about: "what to expect of few, in a sentence for people" },
  morph: { ...MORPHED.morph, default: undefined, optional: true },
  morphOf: { ...MORPHED.morphOf, default: undefined, optional: true },
  /** Entries that are left out are those of the profile. */
  noise: {
    type: "object",
    entries: NOISE,
    optional: true,
    about: "how images are made from noise with few training images",
  },
} as const satisfies Table;

/** The entries of a profile. An entry that is added here is in the types, in the plan, in `withSetting` and in the schema. */
export const PROFILE = {
  name: { type: "text", about: "one word, also the folder of the results" },
  about: { type: "text", about: "one line for people" },
  dataset: { type: "text", about: "the data set's name, such as mnist or faces" },
  size: {
    type: "either",
    of: [SIDE, { type: "pair", of: SIDE, expected: "a number or a pair [width, height]" }],
    about: "side of the images in pixels, or [width, height]",
  },
  classwise: { type: "boolean", about: "whether each class is synthesized from its own training images" },
  patch: { ...SIDE, parity: "even", about: "n: side of a patch; even. A layer may have another" },
  prior: { type: "plugin", kind: "prior", about: "the prior, or [prior, options]" },
  contexts: {
    type: "list",
    of: { type: "plugin", kind: "context" },
    expected: "a list of contexts",
    about: "each a context, or [context, options]; [] for none",
  },
  /** Their number is the pyramid's depth L. */
  layers: {
    type: "objects",
    entries: LAYER,
    expected: "a list of one or more layers",
    about: "l = 0, the finest layer, first",
  },
  zStep: { type: "choice", choices: Z_STEPS, default: "sample", about: "what the z-step takes from the posterior" },
  channels: {
    type: "choice",
    choices: [1, 3],
    expected: "1 (grey) or 3 (colour)",
    default: 1,
    about: "1 grey, 3 colour (red, green, blue)",
  },
  /** Smaller training images are padded to the size. Otherwise training images are exemplars of any size. */
  aligned: { type: "boolean", default: true, about: "whether a place means the same in all images, as in faces" },
  /** `lrVariance`: the same h does the same for images of another contrast, and for classes that vary more or less. */
  relativeH: {
    type: "boolean",
    default: false,
    about: "whether h counts in variances of the LR training images, not in squares of grey values in [0, 1]",
  },
  ...MORPHED,
  /** Gaussian noise; seed images are then clamped to [0, 1]. Not in the paper. */
  seedNoise: {
    type: "number",
    min: 0,
    max: 1,
    default: 0,
    tune: { low: 0, high: 0.06 },
    about: "standard deviation of the noise that is added to seed images, in [0, 1]; more: images differ more",
  },
  seedModel: {
    type: "choice",
    choices: SEED_MODELS,
    default: "gaussian",
    about: "the model that seed images are drawn from where they are not given",
  },
  from: {
    type: "choice",
    choices: SEED_SOURCES,
    optional: true,
    about: "where seed images come from by default; left out: test images, or quilt for exemplars",
  },
  noise: { type: "object", entries: NOISE, optional: true, about: "how images are made from noise" },
  quiltLayer: {
    type: "integer",
    min: 0,
    max: 16,
    optional: true,
    about: "for exemplars: l of the images that are quilted; 0: the whole image, no layer follows",
  },
  regions: {
    type: "objects",
    entries: REGION,
    optional: true,
    expected: "a list of regions",
    about: "parts of aligned images in which metrics measure structure, too: each with name, x, y, width and height",
  },
  /** Not for packs, which hold what was chosen when they were made. */
  few: { type: "object", entries: FEW, optional: true, about: "what changes where there are few training images" },
  tile: {
    type: "choice",
    choices: TILES,
    optional: true,
    about: "directions in which images of exemplars tile without a seam; none by default",
  },
  pixelArt: {
    type: "boolean",
    default: false,
    about: "whether pixels take the colour of most patches, not the average, and transparent pixels are kept",
  },
  /** For profiles whose prior makes good images of seed images, but does not restore. */
  restoredAs: {
    type: "text",
    expected: "a profile's name",
    optional: true,
    about: "name of the built-in profile that restores degraded images of this kind; left out: this one",
  },
} as const satisfies Table;

/** The parameters of one layer, as in the paper's tables 1 and 2. Lists have one value for each iteration. See `LAYER`. */
export interface ProfileLayer<P extends AnyPlugin = AnyPlugin> extends Written<typeof LAYER, P> {}

/**
 * How images of one kind are synthesized, as plain data. With `P`, naming other plugins or options than theirs is a compile error.
 * `PROFILE` describes the entries.
 */
export interface Profile<P extends AnyPlugin = AnyPlugin> extends Written<Omit<typeof PROFILE, "layers">, P> {
  /** l = 0, the finest layer, first. Their number is the pyramid's depth L. */
  readonly layers: readonly ProfileLayer<P>[];
}

/**
 * Makes the profile for few training images from one whose entry `few` says what changes. The result has no entry `few`, so that
 * a run that is made again does not depend on the number of images. It is not checked: `plan` does that.
 *
 * @param count the number of training images; with classes, that of the smallest
 * @returns undefined where nothing changes
 */
export function profileForFew(profile: Profile, count: number): Profile | undefined {
  const { few, ...usual } = profile;
  if (!few || count >= few.below) return undefined;
  const { below: _, expect: _expect, noise, ...changes } = few;
  return { ...usual, ...changes, ...noise && { noise: { ...usual.noise, ...noise } } };
}
