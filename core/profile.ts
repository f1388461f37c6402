/** Profiles: how images of one kind are synthesized, as plain data, and changes of a profile's values by name. */
import { isObject, optionValues, shown, suggestion } from "./options.ts";
import type { AnyPlugin } from "./plugin.ts";
import type { PluginChoice, Registry } from "./registry.ts";
import type { ZStep } from "./types.ts";

/** The parameters of one layer, as in the paper's tables 1 and 2. Lists have one value for each iteration. */
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
  /** n: side of an HR patch; even. */
  readonly patch: number;
  /** The prior: its name, or its name and options. */
  readonly prior: PluginChoice<P, "prior">;
  /** The contexts: each a name, or a name and options; [] for none. */
  readonly contexts: readonly PluginChoice<P, "context">[];
  /** What the z-step takes from the posterior; "sample" where it is left out. */
  readonly zStep?: ZStep;
  /** l = 0, the finest layer, first. Their number is the pyramid's depth L. */
  readonly layers: readonly ProfileLayer[];
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
/** The estimators of the z-step. */
export const Z_STEPS: readonly ZStep[] = ["sample", "map", "mean"];
/** Entries that a layer must have. */
export const LAYER_KEYS = ["overlap", "iterations", "window", "h", "lambda", "rho", "offsets"] as const;

/**
 * Makes a profile with another prior. Options of the profile's prior carry over if the other has them and takes their values.
 * The result is not checked: `plan` does that.
 *
 * @throws Error where there is no such prior.
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
 * Makes a profile with one value replaced: `prior.neighbours=50` sets an option of the prior, `square.weight=0.3` one of the
 * context of that name, anything else is a path into the profile (`layers.0.window=1`). Numbers, true and false are read as
 * such, anything else is text. The result is not checked: `plan` does that.
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
