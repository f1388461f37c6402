/** From a profile, which is plain data, to a plan: checked, frozen, every plugin found and its options filled in. */
import type { AnyPlugin, Plugin, Values } from "./plugin.ts";
import { pyramidSizes } from "./pyramid.ts";
import { shapeText, type Size, squareOf } from "./shape.ts";
import { optionValues, type PluginChoice, type Registry, shown, suggestion } from "./registry.ts";
import type { ZStep } from "./types.ts";

/** The parameters of one layer, as the columns of the paper's tables. Lists have one value for each iteration. */
export interface ProfileLayer {
  /** Pixels that neighbouring patches share. */
  readonly overlap: number;
  /** K: iterations of the ADMM. */
  readonly iterations: number;
  /** neighbor-window-size: neighbouring positions have an offset below it; 0 and 1 are the location itself. */
  readonly window: number;
  /** Randomness of the prior, equation (local prior); > 0. */
  readonly h: readonly number[];
  /** Weight of the LR image in equation (epll admm); >= 0. */
  readonly lambda: readonly number[];
  /** Penalty weight of equation (epll admm); > 0. */
  readonly rho: readonly number[];
  /** Cycle spinning: shift (x, y) of the patch locations; each >= 0 and below patch - overlap. */
  readonly offsets: readonly (readonly [x: number, y: number])[];
}

/** How images of one kind are synthesized. With `P`, plugins or options that are not among these do not compile. */
export interface Profile<P extends AnyPlugin = AnyPlugin> {
  readonly name: string;
  readonly about: string;
  /** Name of the data set. */
  readonly dataset: string;
  /** Side of the images, in pixels, or their [width, height]. */
  readonly size: number | readonly [width: number, height: number];
  /** 1 grey, 3 colour (red, green, blue); 1 where it is left out. */
  readonly channels?: 1 | 3;
  /**
   * Whether places mean the same in all images, as in pictures of one kind of thing; true where it is left out. Smaller training
   * images are then padded to the size. Otherwise they are exemplars of any size, and images of any size are made of them.
   */
  readonly aligned?: boolean;
  /** Whether each class is synthesized from its own training images. */
  readonly classwise: boolean;
  /** n: side of an HR patch; even. */
  readonly patch: number;
  readonly prior: PluginChoice<P, "prior">;
  readonly contexts: readonly PluginChoice<P, "context">[];
  /** What the z-step takes from the posterior; "sample" where it is left out. */
  readonly zStep?: ZStep;
  /** l = 0, the finest layer, first. Their number is the pyramid's depth L. */
  readonly layers: readonly ProfileLayer[];
}

/** A plugin and the values of its options. */
export interface Chosen<K extends "prior" | "context"> {
  readonly plugin: Plugin<K>;
  readonly values: Values;
}

/** One iteration of Algorithm 1. */
export interface PlanIteration {
  readonly h: number;
  readonly lambda: number;
  readonly rho: number;
  readonly offset: readonly [x: number, y: number];
}

/** One layer of Algorithm 2. */
export interface PlanLayer extends Size {
  /** l: 0 is the finest. */
  readonly layer: number;
  /** Of the HR images. */
  readonly height: number;
  readonly width: number;
  readonly overlap: number;
  readonly window: number;
  readonly iterations: readonly PlanIteration[];
}

/** A profile, checked. */
export interface Plan {
  readonly profile: Profile;
  /** Of X_0 .. X_L; the last is the seed image's. */
  readonly sizes: readonly Size[];
  readonly channels: 1 | 3;
  readonly aligned: boolean;
  readonly patch: number;
  readonly prior: Chosen<"prior">;
  readonly contexts: readonly Chosen<"context">[];
  readonly zStep: ZStep;
  /** l = 0 first. */
  readonly layers: readonly PlanLayer[];
}

/** Entries that a profile must have. */
export const PROFILE_KEYS = [
  "name",
  "about",
  "dataset",
  "size",
  "classwise",
  "patch",
  "prior",
  "contexts",
  "layers",
] as const;
/** Entries that a profile may leave out. */
export const OPTIONAL_KEYS = ["zStep", "channels", "aligned"] as const;
export const Z_STEPS: readonly ZStep[] = ["sample", "map", "mean"];
/** Entries of a layer. */
export const LAYER_KEYS = ["overlap", "iterations", "window", "h", "lambda", "rho", "offsets"] as const;
/** The largest image side: four of its f32 images still fit into kernel memory beside a training set. */
export const LARGEST = 4096;

/** Checks a profile against a registry. Throws one sentence that says what was wanted and what was found. */
export function plan(profile: Profile, plugins: Registry): Plan {
  if (!isObject(profile)) throw new Error(`Cannot use the profile: expected an object, got ${shown(profile)}`);
  keys(profile, PROFILE_KEYS, "the profile", OPTIONAL_KEYS);
  const { zStep = "sample", channels = 1, aligned = true } = profile;
  if (!Z_STEPS.includes(zStep)) fail("zStep", Z_STEPS.join(" or "), zStep);
  if (channels !== 1 && channels !== 3) fail("channels", "1 (grey) or 3 (colour)", channels);
  if (typeof aligned !== "boolean") fail("aligned", "true or false", aligned);
  for (const key of ["name", "about", "dataset"] as const) {
    if (typeof profile[key] !== "string") fail(key, "a text", profile[key]);
  }
  if (typeof profile.classwise !== "boolean") fail("classwise", "true or false", profile.classwise);
  if (!Array.isArray(profile.layers) || profile.layers.length === 0) fail("layers", "a list of layers", profile.layers);
  if (!Array.isArray(profile.contexts)) fail("contexts", "a list of contexts", profile.contexts);
  const depth = profile.layers.length;
  const size = sizeOf(profile.size), shorter = Math.min(size.height, size.width);
  whole("patch", profile.patch, 2, shorter);
  if (profile.patch % 2 !== 0) fail("patch", "an even number", profile.patch);
  const sizes = pyramidSizes(size, depth), coarsest = sizes[depth];
  const halves = Number.isInteger(coarsest.height) && Number.isInteger(coarsest.width);
  if (!halves || shorter / 2 ** (depth - 1) < profile.patch) {
    fail("size", `a multiple of ${2 ** depth} whose coarsest HR layer holds a patch of ${profile.patch}`, profile.size);
  }
  return deepFreeze({
    profile: structuredClone(profile),
    sizes,
    channels,
    aligned,
    patch: profile.patch,
    prior: chosen("prior", profile.prior, plugins),
    contexts: profile.contexts.map((choice) => chosen("context", choice, plugins)),
    zStep,
    layers: profile.layers.map((layer, l) => planLayer(layer, l, sizes[l], profile.patch)),
  });
}

/** A number is the side of a square. */
function sizeOf(size: Profile["size"]): Size {
  if (!Array.isArray(size)) {
    whole("size", size, 2, LARGEST);
    return squareOf(size as number);
  }
  if (size.length !== 2) fail("size", "a number or a pair [width, height]", size);
  for (const i of [0, 1]) whole(`size.${i}`, size[i], 2, LARGEST);
  return { height: size[1], width: size[0] };
}

/**
 * Sides of X_0 .. X_L of a plan of square grey images.
 *
 * @throws one sentence where the images are others
 */
export function squareSides({ profile, sizes, channels }: Plan): number[] {
  const [{ height, width }] = sizes;
  if (height === width && channels === 1) return sizes.map((size) => size.width);
  throw new Error(
    `Cannot measure images of profile "${profile.name}": expected square grey images, got ` +
      shapeText({ height, width, channels }),
  );
}

function planLayer(layer: ProfileLayer, l: number, size: Size, patch: number): PlanLayer {
  const at = `layers.${l}`;
  if (!isObject(layer)) fail(at, "a layer", layer);
  keys(layer, LAYER_KEYS, at);
  whole(`${at}.overlap`, layer.overlap, 0, patch - 1);
  whole(`${at}.iterations`, layer.iterations, 1, 65535);
  whole(`${at}.window`, layer.window, 0, Math.max(size.height, size.width));
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
  return { layer: l, ...size, overlap: layer.overlap, window: layer.window, iterations };
}

function chosen<K extends "prior" | "context">(kind: K, choice: PluginChoice, plugins: Registry): Chosen<K> {
  const [name, options, ...more] = typeof choice === "string" ? [choice, {}] : Array.isArray(choice) ? choice : [];
  if (typeof name !== "string" || !isObject(options) || more.length > 0) {
    fail(kind, "a name or a pair of name and options", choice);
  }
  const plugin = plugins.find(kind, name);
  return { plugin, values: optionValues(plugin as unknown as AnyPlugin, options as Record<string, unknown>) };
}

/**
 * A profile with another prior. Options that it was given in the profile carry over where the new one has them and takes
 * their values. The result is checked by `plan`.
 */
export function withPrior(profile: Profile, name: string, plugins: Registry): Profile {
  if (!isObject(profile)) return profile;
  const plugin = plugins.find("prior", name), [, before] = Array.isArray(profile.prior) ? profile.prior : [];
  const kept = Object.entries(isObject(before) ? before : {}).filter(([option, value]) => {
    try {
      return optionValues(plugin as unknown as AnyPlugin, { [option]: value });
    } catch {
      return false;
    }
  });
  return { ...profile, prior: kept.length > 0 ? [name, Object.fromEntries(kept)] : name };
}

/**
 * A profile with one value replaced: `prior.neighbours=50` sets an option of the prior, `square.weight=0.3` one of the
 * context of that name, anything else is a path into the profile (`layers.0.window=1`). Numbers, true and false are
 * read as such, the rest is text. The result is checked by `plan`.
 */
export function withSetting(profile: Profile, setting: string): Profile {
  const equals = setting.indexOf("=");
  if (equals < 1) throw new Error(`Cannot set "${setting}": expected name=value, such as prior.neighbours=50`);
  if (!isObject(profile)) throw new Error(`Cannot set "${setting}" on ${shown(profile)}: expected a profile`);
  const path = setting.slice(0, equals).split("."), value = parseValue(setting.slice(equals + 1));
  const changed = structuredClone(profile) as unknown as Record<string, unknown>;
  // What is wrong with the rest of the profile is for `plan` to say.
  const parts = (choice: unknown) => Array.isArray(choice) ? choice : [choice, {}];
  const withOption = (choice: unknown) => [parts(choice)[0], { ...parts(choice)[1], [path[1]]: value }];
  const contexts = Array.isArray(profile.contexts) ? profile.contexts : [];
  const names = contexts.map((choice) => parts(choice)[0]);
  if (path.length === 2 && path[0] === "prior") changed.prior = withOption(profile.prior);
  else if (path.length === 2 && names.includes(path[0])) {
    changed.contexts = contexts.map((choice, i) => names[i] === path[0] ? withOption(choice) : choice);
  } else {
    let inside: unknown = changed;
    path.forEach((key, depth) => {
      const object = inside as Record<string, unknown>;
      const present = typeof inside === "object" && inside !== null ? Object.keys(inside) : [];
      const valid = depth === 0 ? [...new Set([...present, ...OPTIONAL_KEYS])] : present;
      if (!valid.includes(key)) {
        const more = depth === 0
          ? ["prior", ...names.filter((name) => typeof name === "string")].map((name) => `${name}.*`)
          : [];
        throw new Error(`Cannot set "${path.join(".")}": there is no "${key}"${suggestion(key, [...more, ...valid])}`);
      }
      if (depth === path.length - 1) object[key] = value;
      else inside = object[key];
    });
  }
  return changed as unknown as Profile;
}

function parseValue(text: string): number | boolean | string {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
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

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Freezes plain data through and through; plugins are left as they are. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if ("api" in value) return value;
  Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
