/** Changes of a profile's values by name. */
import { keysOf, type Table } from "./entries.ts";
import { jsonDepth } from "./json_depth.ts";
import { isObject, optionValues } from "./options.ts";
import type { AnyPlugin } from "./plugin.ts";
import { DEFAULT_DENOISER, PROFILE, type Profile, type ProfileLayer } from "./profile.ts";
import type { Registry } from "./registry.ts";
import { shown } from "./shown.ts";
import { stretched } from "./stretch.ts";
import { suggestion } from "./suggestion.ts";

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
  const chosen = (present: Profile["contexts"]) =>
    names.map((name) => present.find((choice) => nameOf(choice) === name) ?? name);
  const ofLayer = (layer: ProfileLayer) => {
    return isObject(layer) && layer.contexts ? { ...layer, contexts: chosen(layer.contexts) } : layer;
  };
  return { ...profile, contexts: chosen(contexts), layers: Array.isArray(layers) ? layers.map(ofLayer) : layers };
}

/**
 * Makes a profile with one value replaced: `prior.neighbours=50` sets an option of the prior, `square.weight=0.3` one of the
 * context of that name, `layers.1.prior.neighbours=5` and `layers.1.square.weight=0.2` the same in one layer alone, anything else
 * is a path into the profile (`layers.0.window=1`). `layers.0.iterations=8` also stretches the lists of the layer (`stretched`),
 * and `noise.steps=8` the windows, also those for few training images.
 * Numbers, true and false are read as such, and so are lists: `layers.0.rho=1,2,4,8`. One number replaces each of a list of
 * numbers. Anything else is text. The result is not checked: `plan` does that.
 *
 * @throws Error where the setting is not name=value, or names nothing in the profile.
 */
export function withSetting(profile: Profile, setting: string): Profile {
  return withSettings(profile, [setting]);
}

/**
 * Makes a profile with values replaced one after another, as `withSetting`. The profile is copied once for all of them.
 *
 * @throws Error as `withSetting`
 */
export function withSettings(profile: Profile, settings: readonly string[]): Profile {
  const changed = structuredClone(profile);
  for (const setting of settings) change(changed, setting);
  return changed;
}

/** Replaces one value of a profile, in place. */
function change(profile: Profile, setting: string): void {
  const equals = setting.indexOf("=");
  if (equals < 1) throw new Error(`Cannot set ${shown(setting)}: expected name=value, such as prior.neighbours=50`);
  if (!isObject(profile)) throw new Error(`Cannot set ${shown(setting)} on ${shown(profile)}: expected a profile`);
  const name = setting.slice(0, equals), path = name.split("."), value = parseValue(name, setting.slice(equals + 1));
  const whole = profile as unknown as Record<string, unknown>;
  // Lists with one value for each iteration, or one window for each step, would not fit any more.
  const stretches = path.length === 3 && path[0] === "layers" && path[2] === "iterations" || name === "noise.steps";
  const { object, key, option, isNamed } = placeOf(whole, path, stretches ? path.length - 1 : path.length);
  if (option !== undefined && isNamed) setOption(object, whole, key, option, value);
  else if (option !== undefined) object[key] = withOption(object[key] ?? DEFAULT_PLUGIN[key], option, value);
  else if (name === "noise.steps") setSteps(profile, value);
  else if (stretches) object[key] = stretched(object[key], "iterations", value);
  else object[key] = forEach(object[key], value);
}

/** What a path into a profile leads to. */
interface Place {
  readonly object: Record<string, unknown>;
  readonly key: string;
  /** An option of the plugin that the key stands for. */
  readonly option?: string;
  /** Whether the key is that of the prior or the name of a context, not that of another entry with a plugin. */
  readonly isNamed?: boolean;
}

/**
 * Finds what the first `end` names of a path lead to. Parts of the profile that are left out are added. The rest may be wrong in any
 * way: `plan` checks it.
 */
function placeOf(profile: Record<string, unknown>, path: readonly string[], end: number): Place {
  let object = profile;
  for (let depth = 0;; depth++) {
    const key = path[depth], option = depth === path.length - 2 ? path[depth + 1] : undefined;
    const ofPlugins = havePlugins(path, depth, object);
    if (option !== undefined && ofPlugins && (key === "prior" || contextNames(object, profile).includes(key))) {
      return { object, key, option, isNamed: true };
    }
    const table = tableAt(path.slice(0, depth)),
      present = typeof object === "object" && object !== null ? Object.keys(object) : [];
    const settable = !isObject(object) ? [] : ofPlugins ? keysOf(table).optional : Object.keys(table);
    const valid = [...new Set([...present, ...settable])];
    if (!valid.includes(key)) throw noSuch(profile, path, depth, object, valid);
    const type = isObject(object) && Object.hasOwn(table, key) ? table[key].type : undefined;
    if (depth === end - 1) return { object, key };
    if (type === "plugin" && option !== undefined) return { object, key, option };
    if (type === "object") object[key] ??= {};
    object = object[key] as Record<string, unknown>;
  }
}

/** Whether what lies at this depth of a path has a prior and contexts: the profile, or one of its layers. */
function havePlugins(path: readonly string[], depth: number, object: unknown): boolean {
  return depth === 0 || depth === 2 && path[0] === "layers" && isObject(object);
}

/** The error of a path whose name at this depth is none of the valid ones, with what may have been meant. */
function noSuch(
  profile: WithPlugins,
  path: readonly string[],
  depth: number,
  object: WithPlugins,
  valid: readonly string[],
): Error {
  const key = path[depth], cannot = `Cannot set ${shown(path.join("."))}`;
  const ofPlugins = havePlugins(path, depth, object);
  const kind = ofPlugins && path.length === depth + 2 ? kindOf(object, profile, key) : undefined;
  if (kind !== undefined) {
    const written = [...path.slice(0, depth), WRITTEN[kind], path[depth + 1]].join(".");
    return new Error(`${cannot}: expected ${shown(written)}, as ${key} is the ${kind}`);
  }
  const isShort = path.length === 1 || path.length === 2 && path[0] === "layers";
  const places = isShort ? placesOf(path.at(-1)!) : [];
  if (places.length > 0) return new Error(`${cannot}: expected ${places.map(shown).join(" or ")}`);
  const named = ofPlugins ? ["prior", ...contextNames(object, profile)].map((name) => `${name}.*`) : [];
  const more = ofPlugins ? [...named, ...chosenOptions(object)] : [];
  return new Error(`${cannot}: there is no ${shown(key)}${suggestion(key, [...more, ...valid])}`);
}

/** The names that set entries of this name in the layers, in `noise` and in other parts of a profile: of layers the finest. */
function placesOf(key: string): string[] {
  return Object.entries(PROFILE as Table).flatMap(([part, entry]) => {
    const isThere = (entry.type === "object" || entry.type === "objects") && Object.hasOwn(entry.entries, key);
    return isThere ? [entry.type === "object" ? `${part}.${key}` : `${part}.0.${key}`] : [];
  });
}

/** Sets the steps of images from noise, also where there are few training images, unless these have steps of their own. */
function setSteps(profile: { noise?: unknown; few?: { noise?: unknown } }, steps: unknown): void {
  const { noise = {}, few } = profile;
  profile.noise = stretched(noise, "steps", steps);
  if (!isObject(few) || !isObject(few.noise) || "steps" in few.noise) return;
  few.noise = stretched(
    { ...isObject(noise) && "steps" in noise && { steps: noise.steps }, ...few.noise },
    "steps",
    steps,
  );
}

/** The table of what a path into a profile leads to; an empty one for lists and values. */
function tableAt([key, ...inside]: readonly string[], table: Table = PROFILE): Table {
  if (key === undefined) return table;
  const entry = Object.hasOwn(table, key) ? table[key] : undefined;
  if (entry?.type === "object") return tableAt(inside, entry.entries);
  return entry?.type === "objects" && inside.length > 0 ? tableAt(inside.slice(1), entry.entries) : {};
}

/** What may have a prior and contexts: a profile, or one of its layers. */
type WithPlugins = { prior?: unknown; contexts?: unknown };

/**
 * Sets an option of the prior or of the context called `name` in a profile or in one of its layers. A layer without a prior or
 * contexts of its own gets the profile's by name.
 */
function setOption(within: WithPlugins, profile: WithPlugins, name: string, option: string, value: unknown): void {
  if (name === "prior") {
    within.prior = withOption("prior" in within ? within.prior : nameOf(profile.prior), option, value);
    return;
  }
  const choices = Array.isArray(within.contexts) ? within.contexts : (profile.contexts as unknown[]).map(nameOf);
  within.contexts = choices.map((choice) => nameOf(choice) === name ? withOption(choice, option, value) : choice);
}

/** How settings name the plugins of which there is one. */
const WRITTEN = { prior: "prior", denoiser: "noise.denoiser" } as const;

/** Whether a name is that of the prior of a profile or layer, or of the profile's denoiser. */
function kindOf(within: WithPlugins, profile: WithPlugins, name: string): keyof typeof WRITTEN | undefined {
  if (nameOf("prior" in within ? within.prior : profile.prior) === name) return "prior";
  const { noise } = within as Partial<Profile>;
  return isObject(noise) && nameOf(noise.denoiser ?? DEFAULT_DENOISER) === name ? "denoiser" : undefined;
}

/** The names of plugins that entries stand for where they are left out. */
const DEFAULT_PLUGIN: Readonly<Record<string, string>> = { denoiser: DEFAULT_DENOISER };

/** A choice of a plugin with another value of an option. */
function withOption(choice: unknown, option: string, value: unknown): readonly [unknown, object] {
  const { name, options } = partsOf(choice);
  return [name, { ...options, [option]: value }];
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

/** The name and the options of a plugin's choice; anything else is returned with no options. */
export function partsOf(choice: unknown): { name: unknown; options: object } {
  const [name, options] = Array.isArray(choice) ? choice : [choice, {}];
  return { name, options: isObject(options) ? options : {} };
}

/** The name of a plugin's choice; anything else is returned as it is. */
function nameOf(choice: unknown): unknown {
  return partsOf(choice).name;
}

/** A number stands for each value of a list of numbers, such as one for each iteration. */
function forEach(present: unknown, value: unknown): unknown {
  const isList = Array.isArray(present) && present.every((one) => typeof one === "number");
  return isList && typeof value === "number" ? present.map(() => value) : value;
}

/** Reads a value: a number, true, false, a list of numbers such as `1,2,4`, or a list as in JSON; anything else is text. */
function parseValue(name: string, text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  if (/^\s*\[/.test(text)) return parsedList(name, text);
  const numbers = text.split(",").map((part) => part.trim() === "" ? NaN : Number(part));
  if (numbers.some(Number.isNaN)) return text;
  return numbers.length > 1 ? numbers : numbers[0];
}

/** How deep lists and objects of a value may be nested: regions are objects in a list. */
const MAX_DEPTH = 8;

function parsedList(name: string, text: string): unknown {
  const deepest = jsonDepth(text);
  if (deepest > MAX_DEPTH) {
    throw new Error(`Cannot set ${shown(name)}: expected lists at most ${MAX_DEPTH} deep, got ${deepest}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
