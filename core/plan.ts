/** Turns a profile, which is plain data, into a plan: checked, frozen, every plugin found and its options filled in. */
import { fail, type Filled, filled } from "./entries.ts";
import { isObject } from "./options.ts";
import { NOISE } from "./noise_entries.ts";
import { DEFAULT_DENOISER, LAYER, PROFILE, type Profile, type ProfileLayer } from "./profile.ts";
import { partsOf } from "./profile_changes.ts";
import type { MetricInput } from "./metric.ts";
import { pyramidSizes } from "./pyramid.ts";
import { choosePlugin, type Chosen, type PluginChoice, type Registry } from "./registry.ts";
import { type DiffusionSettings, noiseLevels, windowsUpTo } from "./schedule.ts";
import { checkRegions } from "./regions.ts";
import { profileSize } from "./resized_profile.ts";
import { shown } from "./shown.ts";
import type { Size } from "./shape.ts";

/** The parameters of one iteration of Algorithm 1; see `ProfileLayer`. */
export interface PlanIteration {
  /** Randomness of the prior, equation (local prior); > 0, in squared LR distance of pixels in [0, 1], or in variances with `relativeH`. */
  readonly h: number;
  /** Weight of the LR image, equation (epll admm); >= 0. */
  readonly lambda: number;
  /** Penalty weight, equation (epll admm); > 0. */
  readonly rho: number;
  /** Cycle spinning: shift of the patch locations in pixels. */
  readonly offset: readonly [x: number, y: number];
}

/** One layer of Algorithm 2: the entries of `LAYER`, and where it stands in the pyramid. */
export interface PlanLayer
  extends
    Size,
    Filled<Omit<typeof LAYER, "iterations" | "h" | "lambda" | "rho" | "offsets" | "patch" | "prior" | "contexts">> {
  /** l: 0 is the finest. */
  readonly layer: number;
  /** Of the HR images. */
  readonly height: number;
  /** Width of the HR images. */
  readonly width: number;
  /** n: side of an HR patch, even. */
  readonly patch: number;
  /** The K iterations, in order. */
  readonly iterations: readonly PlanIteration[];
  /** The layer's own prior, or else the profile's, with the values of its options. */
  readonly prior: Chosen<"prior">;
  /** The layer's own contexts, or else the profile's, with the values of their options; [] for none. */
  readonly contexts: readonly Chosen<"context">[];
}

/**
 * How the seed images of a plan are made from noise: the entries of `NOISE`. Limits that are undefined are chosen by left-out training
 * images.
 */
export interface PlanNoise
  extends
    Chosen<"denoiser">,
    DiffusionSettings,
    Filled<Omit<(typeof PROFILE)["noise"]["entries"], "layer" | "denoiser" | keyof DiffusionSettings>> {
  /** l of the images that are made from noise: the number of layers that follow. */
  readonly layer: number;
  /** Side of the window in each step; narrow ones where they are chosen. */
  readonly windows: readonly number[];
  /** Whether windows are chosen by left-out training images. */
  readonly areWindowsChosen: boolean;
}

/** Whether a part of how images are made from noise follows from all training images. */
export function isNoiseChosen({ areWindowsChosen, minOriginality, maxStructure, ...quantiles }: PlanNoise): boolean {
  if (areWindowsChosen || minOriginality === undefined || maxStructure === undefined) return true;
  return quantiles.minTypicality > 0 || quantiles.minMutualInformation > 0;
}

/** How many iterations a layer takes, with those that project. */
export function iterationCount({ iterations, projection }: Pick<PlanLayer, "iterations" | "projection">): number {
  return iterations.length + projection;
}

/** A profile, checked: the entries of `PROFILE`, with defaults, and with the plugins that they name. */
export interface Plan extends
  Filled<
    Omit<
      typeof PROFILE,
      "name" | "about" | "dataset" | "size" | "classwise" | "restoredAs" | "layers" | "noise" | "few"
    >
  > {
  /** How seed images are made, where they come from noise; only the layers below are in `layers`, perhaps none. */
  readonly noise?: PlanNoise;
  /** l of the images that are quilted of exemplars; only the layers below are in `layers`, perhaps none. Undefined: seed images are given. */
  readonly quiltLayer?: number;
  /** The patches by which metrics compare images: see `comparedPatches`. */
  readonly compared: ComparedPatches;
  /** The profile that it was made from. */
  readonly profile: Profile;
  /** Of X_0 .. X_L; the last is the seed image's. */
  readonly sizes: readonly Size[];
  /** l = 0 first. */
  readonly layers: readonly PlanLayer[];
}

/** Entries of a layer that only aligned images have, with the value that does nothing. */
const FOR_ALIGNED = { minOriginality: 0, maxStructure: 1, projection: 0 } as const;

/** Entries of a profile that say what it is, not how images are made. */
const DESCRIPTIONS = [
  "name",
  "about",
  "dataset",
  "size",
  "classwise",
  "restoredAs",
] as const satisfies readonly Exclude<
  keyof typeof PROFILE,
  keyof Plan
>[];

/**
 * Checks a profile against a registry and makes its plan.
 *
 * @example
 * ```ts
 * import { builtins, digits, plan } from "@patchloom/patchloom";
 *
 * const { sizes, prior } = plan(digits, builtins);
 * console.log(sizes.map(({ width }) => width).join(" ")); // 32 16 8 4
 * console.log(prior.plugin.name, prior.values.neighbours); // local-nn 1000
 * ```
 *
 * @throws Error with one sentence: the entry, what was expected and what was found.
 */
export function plan(profile: Profile, plugins: Registry): Plan {
  if (!isObject(profile)) throw new Error(`Cannot use the profile: expected an object, got ${shown(profile)}`);
  const checked = filled(PROFILE, profile, {
    plugins,
    at: "",
    max: (key) => key === "patch" ? shorterSide(profileSize(profile)) : undefined,
  });
  const { tile, aligned, patch, prior, contexts, morph, pixelArt } = checked, common = { patch, prior, contexts };
  const sizes = planSizes(profile);
  if (morph > 0 && !aligned) fail("morph", "0 for images that are not aligned", morph);
  if (morph > 0 && pixelArt) fail("morph", "0 for pixel art, whose colours no average may mix", morph);
  if (tile !== undefined && aligned) fail("tile", "a profile of exemplars (aligned false)", tile);
  const layers = profile.layers.map((layer, l) => planLayer(layer, l, sizes[l], profile, common, plugins));
  const noise = planNoise(checked, sizes, plugins), quiltLayer = planQuilt(checked, layers.length);
  const coarsest = noise?.layer ?? quiltLayer ?? layers.length;
  for (const [name, none] of Object.entries(FOR_ALIGNED)) {
    const wrong = aligned ? undefined : layers.find((layer) => layer[name as keyof typeof FOR_ALIGNED] !== none);
    if (wrong) {
      const found = wrong[name as keyof typeof FOR_ALIGNED];
      fail(`layers.${wrong.layer}.${name}`, `${none} for images that are not aligned`, found);
    }
  }
  if (checked.regions && !aligned) fail("regions", "none for images that are not aligned", checked.regions);
  checkRegions(checked.regions, "regions", plugins);
  return deepFreeze({
    ...without(checked, [...DESCRIPTIONS, "noise", "quiltLayer", "few"]),
    ...noise && { noise },
    ...quiltLayer !== undefined && { quiltLayer },
    compared: comparedPatches(profile.layers[0].patch, checked.patch, layers[0]),
    profile: structuredClone(profile),
    sizes: sizes.slice(0, coarsest + 1),
    layers: layers.slice(0, coarsest),
  });
}

/**
 * Returns l of the images that are quilted of exemplars; undefined where images are aligned or their seed images are given.
 *
 * @throws Error where images are aligned and the profile says what is quilted, or where there is no such l.
 */
function planQuilt({ aligned, from = "quilt", quiltLayer }: Filled<typeof PROFILE>, depth: number): number | undefined {
  if (aligned && quiltLayer !== undefined) fail("quiltLayer", "none for aligned images", quiltLayer);
  if (aligned || from !== "quilt") return undefined;
  if (quiltLayer !== undefined && quiltLayer > depth) {
    fail("quiltLayer", `an integer from 0 to ${depth}, the layer of the seed images`, quiltLayer);
  }
  return quiltLayer ?? depth;
}

/** The longest side of images that are made from noise by default: what a window must grasp, and time, grow with it. */
const NOISE_SIDE = 40;

/**
 * Fills in how a plan's images are made from noise; undefined where they do not come from noise.
 *
 * @throws Error where the images are not aligned: then they have no place in common.
 */
function planNoise(
  { aligned, from, noise }: Filled<typeof PROFILE>,
  sizes: readonly Size[],
  plugins: Registry,
): PlanNoise | undefined {
  if (from !== "noise") return undefined;
  if (!aligned) fail("from", "quilt for images that are not aligned", from);
  const longer = sizes.map(({ height, width }) => Math.max(height, width)), coarsest = sizes.length - 1;
  const small = longer.findIndex((side) => side <= NOISE_SIDE);
  const given = noise ?? filled(NOISE, {}, { plugins, at: "noise" });
  const { layer = small < 0 ? coarsest : small, denoiser, windows, ...settings } = given;
  checkRegions(given.likelyIn, "noise.likelyIn", plugins);
  if (layer > coarsest) fail("noise.layer", `an integer from 0 to ${coarsest}, the layer of the seed images`, layer);
  const planned: PlanNoise = {
    ...settings,
    layer,
    ...denoiser ?? choosePlugin("denoiser", DEFAULT_DENOISER, plugins)!,
    windows: typeof windows === "string" ? windowsUpTo(NARROW, settings.steps, longer[layer]) : windows,
    areWindowsChosen: typeof windows === "string",
  };
  noiseLevels(planned); // checks that there is a window for each step
  return planned;
}

/** Radius of the widest window as a part of the longer side, until windows are chosen: no set of images needed narrower ones. */
const NARROW = 0.11;

/** Checks that a profile's size halves for each layer, and that its patches fit. Returns the sizes of X_0 .. X_L. */
export function planSizes(profile: Profile): Size[] {
  const depth = profile.layers.length, size = profileSize(profile);
  const sizes = pyramidSizes(size, depth), coarsest = sizes[depth];
  const halves = Number.isInteger(coarsest.height) && Number.isInteger(coarsest.width);
  const coarsestOfProfile = profile.layers.findLastIndex((layer) => !isObject(layer) || layer.patch === undefined);
  if (!halves || shorterSide(size) / 2 ** coarsestOfProfile < profile.patch) {
    fail("size", `a multiple of ${2 ** depth} whose coarsest HR layer holds a patch of ${profile.patch}`, profile.size);
  }
  return sizes;
}

/** The least side of images that a plan can synthesize: the patch of each layer fits into the layer's images. */
export function leastSide({ layers, quiltLayer, profile }: Plan): number {
  // Blocks of exemplars are larger than patches.
  if (quiltLayer !== undefined) {
    return Math.max(...profile.layers.map(({ patch = profile.patch }, l) => patch * 2 ** l));
  }
  return Math.max(1, ...layers.map(({ layer, patch }) => patch * 2 ** layer));
}

/** The patches by which metrics compare images: their side n, the pixels they share, and the neighbour window. */
export interface ComparedPatches extends Pick<MetricInput, "patch" | "overlap" | "window"> {}

/**
 * The patches by which metrics compare images: the profile's n, and of the finest layer the overlap and the window. A patch that
 * this layer states for itself, and its overlap, change how images are made, not how they are measured: the overlap is then n / 4, the
 * paper's for faces.
 */
function comparedPatches(own: number | undefined, patch: number, finest: PlanLayer): ComparedPatches {
  const overlap = own === undefined ? finest.overlap : Math.floor(patch / 4);
  return { patch, overlap, window: finest.window };
}

function shorterSide({ height, width }: Size): number {
  return Math.min(height, width);
}

/**
 * Checks a layer. Its numbers depend on each other and on the size of its images.
 *
 * @param common what a layer takes from the profile
 */
function planLayer(
  layer: ProfileLayer,
  l: number,
  size: Size,
  profile: Profile,
  common: Pick<PlanLayer, "patch" | "prior" | "contexts">,
  plugins: Registry,
): PlanLayer {
  const at = `layers.${l}`;
  if (!isObject(layer)) fail(at, "a layer", layer);
  const checked = filled(LAYER, withCommonOptions(layer, profile), {
    plugins,
    at,
    max(key, { patch = common.patch, overlap }) {
      if (key === "patch") return shorterSide(size);
      if (key === "window") return Math.max(size.height, size.width);
      if (key === "overlap") return Number(patch) - 1;
      return key === "offsets" ? Number(patch) - Number(overlap) - 1 : undefined;
    },
  });
  const { iterations: _, h, lambda, rho, offsets, patch, prior, contexts, ...others } = checked;
  return {
    layer: l,
    ...size,
    ...others,
    ...common,
    ...patch && { patch },
    ...prior && { prior },
    ...contexts && { contexts },
    iterations: h.map((h, k) => ({ h, lambda: lambda[k], rho: rho[k], offset: offsets[k] })),
  };
}

/** A layer whose choices of plugins are on top of the options that the profile gives to plugins of the same name. */
function withCommonOptions(layer: ProfileLayer, { prior, contexts }: Profile): ProfileLayer {
  const choices = layer.contexts;
  return {
    ...layer,
    ...layer.prior !== undefined && { prior: withOptionsOf(layer.prior, [prior]) },
    ...Array.isArray(choices) && { contexts: choices.map((choice) => withOptionsOf(choice, contexts)) },
  };
}

/** A layer's choice of a plugin, on top of the options that the profile gives the plugin. */
function withOptionsOf(choice: PluginChoice, given: readonly PluginChoice[]): PluginChoice {
  const { name, options } = partsOf(choice), common = given.find((one) => partsOf(one).name === name);
  const wellFormed = typeof choice === "string" || Array.isArray(choice) && choice.length === 2 && isObject(choice[1]);
  if (common === undefined || !wellFormed) return choice; // `filled` checks it
  return [name, { ...partsOf(common).options, ...options }] as PluginChoice;
}

/** A copy of an object without some of its entries. */
function without<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Omit<T, K> {
  const copy: Partial<T> = { ...object };
  for (const key of keys) delete copy[key];
  return copy as Omit<T, K>;
}

/** Freezes plain data through and through; plugins are left as they are. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if ("api" in value) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
