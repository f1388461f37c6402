/** The settings that a tuner varies, and the values that it draws for them. */
import { plan } from "../../core/plan.ts";
import type { Entry, Table } from "../../core/entries.ts";
import type { TunedOption } from "../../core/plugin.ts";
import { LAYER, PROFILE, type Profile } from "../../core/profile.ts";
import { partsOf, withSettings } from "../../core/profile_changes.ts";
import { stream } from "../../core/random.ts";
import type { Registry } from "../../core/registry.ts";

/** A setting of a profile and the values it may take. */
export type Varied =
  & {
    /** As in `synth --set`; `layers.*` sets the same value in every layer. */
    readonly name: string;
  }
  & (
    | { readonly values: readonly string[] }
    | {
      readonly low: number;
      readonly high: number;
      readonly integer: boolean;
      /** Draws uniform logarithms. */
      readonly log: boolean;
    }
  );

/** Ranges whose ends have at least this ratio are drawn on a logarithmic scale: each order of magnitude as often. */
const LOG_RATIO = 8;
/** Where in a range the plan is tried with a fraction: where it refuses that, it takes integers only. No usual range has one here. */
const PROBE = 0.381966;
/** Keys the random numbers of trials. */
const TRIAL_STREAM = 0x74756e65;

/**
 * Returns what is varied by default: the options that the profile's prior names, then the entries that have a range in their
 * table and are in the profile.
 */
export function usualSpace(profile: Profile, plugins: Registry): readonly string[] {
  const { prior, layers } = profile, { tune = [] } = plugins.find("prior", String(partsOf(prior).name));
  const options = tune.flatMap(({ option, low, high, layers: range }) => {
    return priorsOf(layers.length, range).map((prior) => `${prior}.${option}=${low}..${high}`);
  });
  const inLayers = tunedEntries(LAYER).flatMap(([key, { low, high, everywhere }]) => {
    const numbers = [...layers.keys()].filter((l) => layers[l][key] !== undefined);
    const places = everywhere && numbers.length > 0 ? ["*"] : numbers;
    return places.map((l) => `layers.${l}.${key}=${low}..${high}`);
  });
  const ofProfile = tunedEntries(PROFILE).filter(([key]) => profile[key] !== undefined);
  return [...options, ...ofProfile.map(([key, { low, high }]) => `${key}=${low}..${high}`), ...inLayers];
}

/** The priors that get a value of their own: the profile's, or those of layers `first` to `last`, counted from the coarsest. */
function priorsOf(depth: number, range: TunedOption["layers"]): string[] {
  if (!range) return ["prior"];
  const [first, last = Infinity] = range;
  return Array.from({ length: depth }, (_, l) => l)
    .filter((l) => depth - 1 - l >= first && depth - 1 - l <= last)
    .map((l) => `layers.${l}.prior`);
}

/** The entries of a table that have a range, with it. */
function tunedEntries<T extends Table>(table: T): [key: keyof T, range: NonNullable<Entry["tune"]>][] {
  return Object.entries(table).flatMap(([key, { tune }]) => tune ? [[key, tune]] : []);
}

/** Makes a profile with settings replaced, as `withSettings`; `layers.*` stands for every layer. */
export function withSettingsOfLayers(profile: Profile, settings: readonly string[]): Profile {
  const all = settings.flatMap((setting) => {
    if (!setting.startsWith("layers.*.")) return [setting];
    return profile.layers.map((_, l) => setting.replace("*", String(l)));
  });
  return withSettings(profile, all);
}

/**
 * Reads what to vary: `NAME=LOW..HIGH`, or `NAME=VALUE,VALUE,...`. The plan of the profile says
 * whether a range has integers only.
 *
 * @throws {Error} if it is neither, or if the profile does not take a value
 */
export function readVaried(profile: Profile, text: string, plugins: Registry): Varied {
  const equals = text.indexOf("="), name = text.slice(0, Math.max(equals, 0)), choice = text.slice(equals + 1);
  const cannot = (why: string) => new Error(`Cannot vary "${text}": ${why}`);
  const expected = "expected NAME=LOW..HIGH or NAME=VALUE,VALUE, such as prior.neighbours=5..30";
  if (equals < 1 || choice === "") throw cannot(expected);
  const refusal = (value: string | number) => {
    try {
      plan(withSettingsOfLayers(profile, [`${name}=${value}`]), plugins);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const check = (values: readonly (string | number)[]) => {
    const refused = values.map(refusal).find((message) => message !== undefined);
    if (refused !== undefined) throw cannot(refused);
  };
  if (!choice.includes("..")) {
    const values = choice.split(",");
    if (values.length < 2) throw cannot(expected);
    check(values);
    return { name, values };
  }
  const ends = choice.split("..").map((end) => end.trim() === "" ? NaN : Number(end)), [low, high] = ends;
  if (ends.length !== 2 || !ends.every(Number.isFinite) || low >= high) throw cannot(expected);
  check(ends);
  const integer = refusal(low + PROBE * (high - low)) !== undefined;
  return { name, low, high, integer, log: low > 0 && high / low >= LOG_RATIO };
}

/** Draws the settings of a trial; the same for the same seed, trial and space. */
export function drawSettings(space: readonly Varied[], seed: number, trial: number): string[] {
  const random = stream(seed, TRIAL_STREAM, trial);
  return space.map((varied) => `${varied.name}=${valueAt(varied, random.next())}`);
}

/** Turns a uniform number in [0, 1) into a value. It has three digits, so that profiles stay readable. */
function valueAt(varied: Varied, at: number): string | number {
  if ("values" in varied) return varied.values[Math.floor(at * varied.values.length)];
  const { low, high, integer, log } = varied;
  const between = (a: number, b: number) => log ? a * (b / a) ** at : a + at * (b - a);
  // The range begins and ends half a step outside, so that its ends are drawn as often as other integers.
  if (integer) return Math.min(Math.max(Math.round(between(low - 0.5, high + 0.5)), low), high);
  return Math.min(Math.max(Number(between(low, high).toPrecision(3)), low), high);
}
