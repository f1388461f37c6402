/** Profiles: how images of one kind are synthesized, as plain data, and changes of a profile's values by name. */
import type { Order } from "./locations.ts";
import { isObject, optionValues, shown, suggestion } from "./options.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { PluginChoice, Registry } from "./registry.ts";
import { stretched } from "./stretch.ts";
import type { Tile } from "./tiling.ts";
import type { ZStep } from "./types.ts";

/** The parameters of one layer, as in the paper's tables 1 and 2. Lists have one value for each iteration. */
export interface ProfileLayer<P extends AnyPlugin = AnyPlugin> {
  /** Pixels that neighbouring patches share. */
  readonly overlap: number;
  /** K: iterations of the ADMM. */
  readonly iterations: number;
  /** neighbor-window-size: neighbouring positions have an offset below it; 0 and 1 are the location itself. */
  readonly window: number;
  /** Randomness of the prior, equation (local prior); > 0, in squared LR distance of pixels in [0, 1], or in variances with `relativeH`. */
  readonly h: readonly number[];
  /** Weight of the LR image in equation (epll admm); >= 0. */
  readonly lambda: readonly number[];
  /** Penalty weight of equation (epll admm); > 0. */
  readonly rho: readonly number[];
  /** Cycle spinning: shift (x, y) of the patch locations; each >= 0 and below patch - overlap. */
  readonly offsets: readonly (readonly [x: number, y: number])[];
  /** Another prior than the profile's, or other options: those that a prior of the same name leaves out are the profile's. */
  readonly prior?: PluginChoice<P, "prior">;
  /** Other contexts than the profile's. Options that a context of the same name leaves out are the profile's. */
  readonly contexts?: readonly PluginChoice<P, "context">[];
  /**
   * How much the pixels of a patch count less towards its border where overlapping patches are merged: 0, the paper's average and
   * the default, to 8. The weight of row or column t is sin(pi (t + 1/2) / n)^feather.
   */
  readonly feather?: number;
  /** n in this layer, even; the profile's where it is left out. As large as the layer's images: one patch is the whole image. */
  readonly patch?: number;
  /**
   * The order of the locations in an iteration: "rows", the default, row by row; "sweep", each row from its centre outwards. It
   * counts for priors that look at what was drawn before: `detail`, and `local-nn` with a `bonus`.
   */
  readonly order?: Order;
  /**
   * The least originality of the layer's images, >= 0, compared with training images of their size: an image that is nearer to one
   * is drawn again, from the coarsest layer on, at most 8 times in all. 0, the default, takes all. For aligned images.
   */
  readonly minOriginality?: number;
  /**
   * How many iterations follow that replace each patch by the nearest one of the training images at its place, whatever the LR
   * image; 0, and none, where it is left out. Not in the paper. For aligned images only.
   */
  readonly projection?: number;
}

/**
 * A model of seed images, fitted to those of the training images: "gaussian", one Gaussian, which the paper names; "parzen", a
 * narrow Gaussian around each of them; "warped", training images that are deformed a little and then reduced, for images that
 * deform as handwriting does.
 */
export type SeedModelKind = "gaussian" | "parzen" | "warped";

/** How images of one kind are synthesized. With `P`, naming other plugins or options than theirs is a compile error. */
export interface Profile<P extends AnyPlugin = AnyPlugin> {
  /** One word, such as "digits". */
  readonly name: string;
  /** One line for people. */
  readonly about: string;
  /** Name of the data set. */
  readonly dataset: string;
  /** Side of the images, in pixels, or their [width, height]. */
  readonly size: number | readonly [width: number, height: number];
  /** 1 grey, 3 colour (red, green, blue); 1 where it is left out. */
  readonly channels?: 1 | 3;
  /**
   * Whether a place means the same in all images, as in faces; true where it is left out. Smaller training images are then
   * padded to the size. Otherwise training images are exemplars of any size, and images of any size are made of them.
   */
  readonly aligned?: boolean;
  /** Whether each class is synthesized from its own training images. */
  readonly classwise: boolean;
  /** n: side of an HR patch; even. A layer may have another. */
  readonly patch: number;
  /** The prior: its name, or its name and options. */
  readonly prior: PluginChoice<P, "prior">;
  /** The contexts: each a name, or a name and options; [] for none. */
  readonly contexts: readonly PluginChoice<P, "context">[];
  /** What the z-step takes from the posterior; "sample" where it is left out. */
  readonly zStep?: ZStep;
  /**
   * Whether images are pixel art: a pixel of the result takes the colour that most of the patches that cover it have, not their
   * average, and transparent pixels of the training images stay transparent. false where it is left out.
   */
  readonly pixelArt?: boolean;
  /** In which directions images tile without a seam, of exemplars only; in none where it is left out. */
  readonly tile?: Tile;
  /**
   * Standard deviation of the Gaussian noise that is added to seed images, which are then clamped to [0, 1]: 0 .. 1, 0 where it is
   * left out. Not in the paper: it makes images that share a seed image, or nearly so, differ more.
   */
  readonly seedNoise?: number;
  /**
   * Whether h counts in variances of the LR training images (`lrVariance`): the same h then does the same for images of another
   * contrast, and for classes that vary more or less. false, squares of grey values in [0, 1] as in the paper, where it is left out.
   */
  readonly relativeH?: boolean;
  /** The model that seed images are drawn from where they are not given; "gaussian" where it is left out. */
  readonly seedModel?: SeedModelKind;
  /**
   * Name of the built-in profile whose layers, prior and contexts restore degraded images of this kind. By default, this profile's
   * own do. For profiles whose prior makes good images of seed images, but does not restore (`detail`).
   */
  readonly restoredAs?: string;
  /** l = 0, the finest layer, first. Their number is the pyramid's depth L. */
  readonly layers: readonly ProfileLayer<P>[];
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
export const OPTIONAL_KEYS = [
  "zStep",
  "channels",
  "aligned",
  "relativeH",
  "seedNoise",
  "seedModel",
  "tile",
  "pixelArt",
  "restoredAs",
] as const;
/** The estimators of the z-step. */
export const Z_STEPS: readonly ZStep[] = ["sample", "map", "mean"];
/** The models of seed images. */
export const SEED_MODELS: readonly SeedModelKind[] = ["gaussian", "parzen", "warped"];
/** Entries that a layer must have. */
export const LAYER_KEYS = ["overlap", "iterations", "window", "h", "lambda", "rho", "offsets"] as const;
/** Entries that a layer may leave out. */
export const OPTIONAL_LAYER_KEYS = [
  "prior",
  "contexts",
  "feather",
  "patch",
  "order",
  "minOriginality",
  "projection",
] as const;

/**
 * Makes a profile with another prior, in layers with a prior of their own too. Options of a prior that it replaces carry over if
 * the other has them and takes their values. The result is not checked: `plan` does that.
 *
 * @throws Error where there is no such prior.
 */
export function withPrior(profile: Profile, name: string, plugins: Registry): Profile {
  if (!isObject(profile)) return profile;
  const plugin = plugins.find("prior", name);
  const renamed = (choice: unknown) => {
    const kept = Object.entries(partsOf(choice).options).filter(([option, value]) => {
      try {
        return optionValues(plugin as unknown as AnyPlugin, { [option]: value });
      } catch {
        return false;
      }
    });
    return kept.length > 0 ? [name, Object.fromEntries(kept)] as const : name;
  };
  const ofLayer = (layer: ProfileLayer) => {
    return isObject(layer) && "prior" in layer ? { ...layer, prior: renamed(layer.prior) } : layer;
  };
  const { prior, layers } = profile;
  return { ...profile, prior: renamed(prior), layers: Array.isArray(layers) ? layers.map(ofLayer) : layers };
}

/**
 * Makes a profile with other contexts, in layers with contexts of their own too. A context keeps the options that it has in the
 * profile or in the layer. The result is not checked: `plan` does that.
 */
export function withContexts(profile: Profile, names: readonly string[]): Profile {
  const { contexts, layers } = profile;
  const chosen = (own: Profile["contexts"]) =>
    names.map((name) => own.find((choice) => nameOf(choice) === name) ?? name);
  const ofLayer = (layer: ProfileLayer) => {
    return isObject(layer) && layer.contexts ? { ...layer, contexts: chosen(layer.contexts) } : layer;
  };
  return { ...profile, contexts: chosen(contexts), layers: Array.isArray(layers) ? layers.map(ofLayer) : layers };
}

/**
 * Makes a profile with one value replaced: `prior.neighbours=50` sets an option of the prior, `square.weight=0.3` one of the
 * context of that name, `layers.1.prior.neighbours=5` and `layers.1.square.weight=0.2` the same in one layer alone, anything else
 * is a path into the profile (`layers.0.window=1`). `layers.0.iterations=8` also stretches the lists of the layer (`stretched`). Numbers, true and false are read as such, anything else is text. The result
 * is not checked: `plan` does that.
 *
 * @throws Error where the setting is not name=value, or names nothing in the profile.
 */
export function withSetting(profile: Profile, setting: string): Profile {
  const equals = setting.indexOf("=");
  if (equals < 1) throw new Error(`Cannot set "${setting}": expected name=value, such as prior.neighbours=50`);
  if (!isObject(profile)) throw new Error(`Cannot set "${setting}" on ${shown(profile)}: expected a profile`);
  const path = setting.slice(0, equals).split("."), value = parseValue(setting.slice(equals + 1));
  const changed = structuredClone(profile) as unknown as Record<string, unknown>;
  // The rest of the profile may be wrong in any way: `plan` checks it.
  let inside: unknown = changed;
  for (const [depth, key] of path.entries()) {
    const object = inside as Record<string, unknown>;
    const present = typeof inside === "object" && inside !== null ? Object.keys(inside) : [];
    const inLayer = depth === 2 && path[0] === "layers" && isObject(inside), ofPlugins = depth === 0 || inLayer;
    if (ofPlugins && depth === path.length - 2 && setOption(object, changed, key, path[depth + 1], value)) break;
    const optional = depth === 0 ? OPTIONAL_KEYS : inLayer ? OPTIONAL_LAYER_KEYS : [];
    const valid = [...new Set([...present, ...optional])];
    if (!valid.includes(key)) {
      const more = ofPlugins ? ["prior", ...contextNames(object, changed)].map((name) => `${name}.*`) : [];
      if (ofPlugins) more.push(...chosenOptions(object));
      throw new Error(`Cannot set "${path.join(".")}": there is no "${key}"${suggestion(key, [...more, ...valid])}`);
    }
    // A list with one value for each iteration would not fit any more.
    if (depth === 1 && path[0] === "layers" && path.length === 3 && path[2] === "iterations") {
      object[key] = stretched(object[key], value);
      break;
    }
    if (depth === path.length - 1) object[key] = value;
    else inside = object[key];
  }
  return changed as unknown as Profile;
}

/** What may have a prior and contexts: a profile, or one of its layers. */
type WithPlugins = { prior?: unknown; contexts?: unknown };

/**
 * Sets an option of the prior or of the context called `name` in a profile or in one of its layers. A layer without a prior or
 * contexts of its own gets the profile's by name. Returns whether there is such a prior or context.
 */
function setOption(within: WithPlugins, profile: WithPlugins, name: string, option: string, value: unknown): boolean {
  const withOption = (choice: unknown) => {
    return [partsOf(choice).name, { ...partsOf(choice).options, [option]: value }];
  };
  if (name === "prior") {
    within.prior = withOption("prior" in within ? within.prior : nameOf(profile.prior));
    return true;
  }
  if (!contextNames(within, profile).includes(name)) return false;
  const choices = Array.isArray(within.contexts) ? within.contexts : (profile.contexts as unknown[]).map(nameOf);
  within.contexts = choices.map((choice) => nameOf(choice) === name ? withOption(choice) : choice);
  return true;
}

/** The options that a profile or a layer gives to its prior and its contexts, as settings name them. */
function chosenOptions({ prior, contexts }: WithPlugins): string[] {
  const named = (name: unknown, choice: unknown) => {
    return Object.keys(partsOf(choice).options).map((option) => `${name}.${option}`);
  };
  const choices = Array.isArray(contexts) ? contexts : [];
  return [...named("prior", prior), ...choices.flatMap((choice) => named(nameOf(choice), choice))];
}

/** The names of the contexts of a layer, which are the profile's where it has none of its own, or of the profile. */
function contextNames(within: WithPlugins, profile: WithPlugins): string[] {
  const choices = within.contexts ?? profile.contexts;
  return Array.isArray(choices) ? choices.map(nameOf).filter((name) => typeof name === "string") : [];
}

/** The name and the options of a plugin's choice. Of anything else, itself and no options. */
export function partsOf(choice: unknown): { name: unknown; options: object } {
  const [name, options] = Array.isArray(choice) ? choice : [choice, {}];
  return { name, options: isObject(options) ? options : {} };
}

/** The name of a plugin's choice. Of anything else, itself. */
function nameOf(choice: unknown): unknown {
  return partsOf(choice).name;
}

function parseValue(text: string): number | boolean | string {
  if (text === "true" || text === "false") return text === "true";
  return text.trim() !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
}
