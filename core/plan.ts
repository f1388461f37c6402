/** Turns a profile, which is plain data, into a plan: checked, frozen, every plugin found and its options filled in. */
import type { AnyPlugin, Plugin, Values } from "./plugin.ts";
import { type Order, ORDERS } from "./locations.ts";
import { MAX_FEATHER } from "./merge_weights.ts";
import { pyramidSizes } from "./pyramid.ts";
import { LARGEST_SIDE, type Size, squareOf } from "./shape.ts";
import { isObject, optionValues, shown, suggestion } from "./options.ts";
import {
  LAYER_KEYS,
  OPTIONAL_KEYS,
  OPTIONAL_LAYER_KEYS,
  partsOf,
  type Profile,
  PROFILE_KEYS,
  type ProfileLayer,
  SEED_MODELS,
  type SeedModelKind,
  Z_STEPS,
} from "./profile.ts";
import type { PluginChoice, Registry } from "./registry.ts";
import { type Tile, TILES } from "./tiling.ts";
import type { ZStep } from "./types.ts";

/** A plugin and the values of its options. */
export interface Chosen<K extends "prior" | "context"> {
  /** The plugin. */
  readonly plugin: Plugin<K>;
  /** The value of each of its options. */
  readonly values: Values;
}

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

/** One layer of Algorithm 2. */
export interface PlanLayer extends Size {
  /** l: 0 is the finest. */
  readonly layer: number;
  /** Of the HR images. */
  readonly height: number;
  /** Width of the HR images. */
  readonly width: number;
  /** n: side of an HR patch, even. */
  readonly patch: number;
  /** The order in which an iteration visits its locations. */
  readonly order: Order;
  /** Pixels that neighbouring patches share. */
  readonly overlap: number;
  /** neighbor-window-size: neighbouring positions have an offset below it. */
  readonly window: number;
  /** How much the merge weights of a patch's pixels fall towards its border, 0 .. 8; see `ProfileLayer`. */
  readonly feather: number;
  /** The least originality of the layer's images, >= 0; 0: any. See `ProfileLayer`. */
  readonly minOriginality: number;
  /** How many iterations project at the end, 0 .. 65535; see `ProfileLayer`. */
  readonly projection: number;
  /** The K iterations, in order. */
  readonly iterations: readonly PlanIteration[];
  /** The layer's own prior, or else the profile's, with the values of its options. */
  readonly prior: Chosen<"prior">;
  /** The layer's own contexts, or else the profile's, with the values of their options; [] for none. */
  readonly contexts: readonly Chosen<"context">[];
}

/** How many iterations a layer takes, with those that project. */
export function iterationCount({ iterations, projection }: Pick<PlanLayer, "iterations" | "projection">): number {
  return iterations.length + projection;
}

/** A profile, checked. */
export interface Plan {
  /** The profile that it was made from. */
  readonly profile: Profile;
  /** Of X_0 .. X_L; the last is the seed image's. */
  readonly sizes: readonly Size[];
  /** 1 grey, 3 red, green and blue. */
  readonly channels: 1 | 3;
  /** Whether positions mean the same in all images; false for exemplars of textures. */
  readonly aligned: boolean;
  /** n: side of an HR patch, even; a layer may have another. */
  readonly patch: number;
  /** The profile's prior with the values of its options; a layer may have another. */
  readonly prior: Chosen<"prior">;
  /** The profile's contexts with the values of their options; [] for none. A layer may have others. */
  readonly contexts: readonly Chosen<"context">[];
  /** What the z-step takes from the posterior. */
  readonly zStep: ZStep;
  /** Whether h counts in variances of the LR training images; see `Profile`. */
  readonly relativeH: boolean;
  /** Standard deviation of the noise that is added to seed images, 0 .. 1. */
  readonly seedNoise: number;
  /** The model that seed images are drawn from where they are not given. */
  readonly seedModel: SeedModelKind;
  /** Whether the patches of an image vote on its pixels; see `Profile`. */
  readonly pixelArt: boolean;
  /** In which directions images tile without a seam; in none where it is left out. */
  readonly tile?: Tile;
  /** l = 0 first. */
  readonly layers: readonly PlanLayer[];
}

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
  const { channels, aligned, ...values } = checkedValues(profile), sizes = planSizes(profile);
  const common = {
    prior: chosen("prior", "prior", profile.prior, plugins),
    contexts: profile.contexts.map((choice) => chosen("context", "context", choice, plugins)),
  };
  const layers = profile.layers.map((layer, l) => ({
    ...planLayer(layer, l, sizes[l], profile.patch),
    ...common,
    ...ownPlugins(layer, `layers.${l}`, profile, plugins),
  }));
  for (const name of ["minOriginality", "projection"] as const) {
    const wrong = aligned ? undefined : layers.find((layer) => layer[name] > 0);
    if (wrong) {
      fail(`layers.${wrong.layer}.${name}`, "0 for images that are not aligned", wrong[name]);
    }
  }
  return deepFreeze({
    profile: structuredClone(profile),
    sizes,
    channels,
    aligned,
    patch: profile.patch,
    ...common,
    ...values,
    layers,
  });
}

/** Checks the entries of a profile that are neither sizes, layers nor plugins. Returns those of the plan, with their defaults. */
function checkedValues(
  profile: Profile,
): Pick<Plan, "channels" | "aligned" | "zStep" | "relativeH" | "seedNoise" | "seedModel" | "pixelArt" | "tile"> {
  if (!isObject(profile)) throw new Error(`Cannot use the profile: expected an object, got ${shown(profile)}`);
  keys(profile, PROFILE_KEYS, "the profile", OPTIONAL_KEYS);
  const {
    zStep = "sample",
    channels = 1,
    aligned = true,
    relativeH = false,
    seedNoise = 0,
    seedModel = "gaussian",
    tile,
    pixelArt = false,
  } = profile;
  if (!Z_STEPS.includes(zStep)) fail("zStep", Z_STEPS.join(" or "), zStep);
  if (channels !== 1 && channels !== 3) fail("channels", "1 (grey) or 3 (colour)", channels);
  if (typeof aligned !== "boolean") fail("aligned", "true or false", aligned);
  if (typeof relativeH !== "boolean") fail("relativeH", "true or false", relativeH);
  if (!(typeof seedNoise === "number" && seedNoise >= 0 && seedNoise <= 1)) {
    fail("seedNoise", "a number from 0 to 1", seedNoise);
  }
  if (!SEED_MODELS.includes(seedModel)) fail("seedModel", SEED_MODELS.join(" or "), seedModel);
  if (typeof pixelArt !== "boolean") fail("pixelArt", "true or false", pixelArt);
  if (tile !== undefined && !TILES.includes(tile)) fail("tile", TILES.join(" or "), tile);
  if (tile !== undefined && aligned) fail("tile", "a profile of exemplars (aligned false)", tile);
  for (const key of ["name", "about", "dataset"] as const) {
    if (typeof profile[key] !== "string") fail(key, "a text", profile[key]);
  }
  const { restoredAs } = profile;
  if (restoredAs !== undefined && typeof restoredAs !== "string") fail("restoredAs", "a profile's name", restoredAs);
  if (typeof profile.classwise !== "boolean") fail("classwise", "true or false", profile.classwise);
  if (!Array.isArray(profile.layers) || profile.layers.length === 0) fail("layers", "a list of layers", profile.layers);
  if (!Array.isArray(profile.contexts)) fail("contexts", "a list of contexts", profile.contexts);
  return { channels, aligned, zStep, relativeH, seedNoise, seedModel, pixelArt, ...tile && { tile } };
}

/** Checks that a profile's size halves for each layer, and that its patches fit. Returns the sizes of X_0 .. X_L. */
function planSizes(profile: Profile): Size[] {
  const depth = profile.layers.length;
  const size = sizeOf(profile.size), shorter = Math.min(size.height, size.width);
  whole("patch", profile.patch, 2, shorter);
  if (profile.patch % 2 !== 0) fail("patch", "an even number", profile.patch);
  const sizes = pyramidSizes(size, depth), coarsest = sizes[depth];
  const halves = Number.isInteger(coarsest.height) && Number.isInteger(coarsest.width);
  const coarsestOwn = profile.layers.findLastIndex((layer) => !isObject(layer) || !("patch" in layer));
  if (!halves || shorter / 2 ** coarsestOwn < profile.patch) {
    fail("size", `a multiple of ${2 ** depth} whose coarsest HR layer holds a patch of ${profile.patch}`, profile.size);
  }
  return sizes;
}

/** The least side of images that a plan can synthesize: the patch of each layer fits into the layer's images. */
export function leastSide({ layers }: Plan): number {
  return Math.max(...layers.map(({ layer, patch }) => patch * 2 ** layer));
}

/**
 * The patches by which metrics compare images: the profile's n, and of the finest layer the overlap, in proportion to n, and the
 * window. A patch that this layer has for itself changes how images are made, not how they are measured.
 */
export function comparedPatches({ patch, layers: [finest] }: Plan): { patch: number; overlap: number; window: number } {
  return { patch, overlap: Math.floor(finest.overlap * patch / finest.patch), window: finest.window };
}

/** A number is the side of a square. */
function sizeOf(size: Profile["size"]): Size {
  if (!Array.isArray(size)) {
    whole("size", size, 2, LARGEST_SIDE);
    return squareOf(size as number);
  }
  if (size.length !== 2) fail("size", "a number or a pair [width, height]", size);
  for (const i of [0, 1]) whole(`size.${i}`, size[i], 2, LARGEST_SIDE);
  return { height: size[1], width: size[0] };
}

function planLayer(
  layer: ProfileLayer,
  l: number,
  size: Size,
  profilePatch: number,
): Omit<PlanLayer, "prior" | "contexts"> {
  const at = `layers.${l}`;
  if (!isObject(layer)) fail(at, "a layer", layer);
  keys(layer, LAYER_KEYS, at, OPTIONAL_LAYER_KEYS);
  const { feather = 0, order = "rows", patch = profilePatch, minOriginality = 0, projection = 0 } = layer;
  whole(`${at}.patch`, patch, 2, Math.min(size.height, size.width));
  if (patch % 2 !== 0) fail(`${at}.patch`, "an even number", patch);
  if (!ORDERS.includes(order)) fail(`${at}.order`, ORDERS.join(" or "), order);
  whole(`${at}.overlap`, layer.overlap, 0, patch - 1);
  whole(`${at}.iterations`, layer.iterations, 1, 65535);
  whole(`${at}.window`, layer.window, 0, Math.max(size.height, size.width));
  whole(`${at}.feather`, feather, 0, MAX_FEATHER);
  if (!(typeof minOriginality === "number" && minOriginality >= 0 && minOriginality < Infinity)) {
    fail(`${at}.minOriginality`, "a finite number >= 0", minOriginality);
  }
  whole(`${at}.projection`, projection, 0, 65535);
  const list = (name: "h" | "lambda" | "rho" | "offsets") => {
    const values = layer[name];
    if (!Array.isArray(values) || values.length !== layer.iterations) {
      fail(`${at}.${name}`, `a list of ${layer.iterations} (one for each iteration)`, values);
    }
    return values;
  };
  for (const name of ["h", "lambda", "rho"] as const) {
    for (const [k, value] of list(name).entries()) {
      const fits = typeof value === "number" && Number.isFinite(value) && (name === "lambda" ? value >= 0 : value > 0);
      if (!fits) fail(`${at}.${name}.${k}`, `a finite number ${name === "lambda" ? ">= 0" : "> 0"}`, value);
    }
  }
  for (const [k, offset] of list("offsets").entries()) {
    if (!Array.isArray(offset) || offset.length !== 2) fail(`${at}.offsets.${k}`, "a pair [x, y]", offset);
    for (const i of [0, 1]) whole(`${at}.offsets.${k}.${i}`, offset[i], 0, patch - layer.overlap - 1);
  }
  const iterations = layer.h.map((h, k) => ({
    h,
    lambda: layer.lambda[k],
    rho: layer.rho[k],
    offset: [layer.offsets[k][0], layer.offsets[k][1]] as const,
  }));
  return {
    layer: l,
    ...size,
    patch,
    order,
    overlap: layer.overlap,
    window: layer.window,
    feather,
    minOriginality,
    projection,
    iterations,
  };
}

/** The prior and the contexts that a layer itself has. */
function ownPlugins(
  { prior, contexts }: ProfileLayer,
  at: string,
  profile: Profile,
  plugins: Registry,
): Partial<Pick<PlanLayer, "prior" | "contexts">> {
  if (contexts !== undefined && !Array.isArray(contexts)) fail(`${at}.contexts`, "a list of contexts", contexts);
  return {
    ...prior !== undefined && {
      prior: chosen("prior", `${at}.prior`, withOptionsOf(prior, [profile.prior]), plugins),
    },
    ...contexts && {
      contexts: contexts.map((choice) => {
        return chosen("context", `${at}.context`, withOptionsOf(choice, profile.contexts), plugins);
      }),
    },
  };
}

/** A layer's choice of a plugin, on top of the options that the profile gives the plugin. */
function withOptionsOf(choice: PluginChoice, given: readonly PluginChoice[]): PluginChoice {
  const { name, options } = partsOf(choice), common = given.find((one) => partsOf(one).name === name);
  const wellFormed = typeof choice === "string" || Array.isArray(choice) && choice.length === 2 && isObject(choice[1]);
  if (common === undefined || !wellFormed) return choice; // `chosen` checks it
  return [name, { ...partsOf(common).options, ...options }] as PluginChoice;
}

/** `where` names the entry of the profile, for errors. */
function chosen<K extends "prior" | "context">(
  kind: K,
  where: string,
  choice: PluginChoice,
  plugins: Registry,
): Chosen<K> {
  const [name, options, ...more] = typeof choice === "string" ? [choice, {}] : Array.isArray(choice) ? choice : [];
  if (typeof name !== "string" || !isObject(options) || more.length > 0) {
    fail(where, "a name or a pair of name and options", choice);
  }
  const plugin = plugins.find(kind, name);
  return { plugin, values: optionValues(plugin as unknown as AnyPlugin, options as Record<string, unknown>) };
}

function keys(object: object, needed: readonly string[], where: string, optional: readonly string[] = []): void {
  const valid = [...needed, ...optional];
  for (const key of Object.keys(object)) {
    if (!valid.includes(key)) throw new Error(`${where} has an unknown entry ${shown(key)}${suggestion(key, valid)}`);
  }
  for (const key of needed) {
    if (!Object.hasOwn(object, key)) throw new Error(`${where} lacks the entry "${key}"`);
  }
}

function whole(name: string, value: unknown, low: number, high: number): void {
  if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) {
    fail(name, `an integer from ${low} to ${high}`, value);
  }
}

function fail(name: string, wanted: string, found: unknown): never {
  throw new Error(`Cannot use ${name} of the profile: expected ${wanted}, got ${shown(found)}`);
}

/** Freezes plain data through and through; plugins are left as they are. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if ("api" in value) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
