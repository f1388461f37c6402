/** The settings that a tuner varies, and the values that it draws for them. */
import { plan } from "../../core/plan.ts";
import { partsOf, type Profile, withSetting } from "../../core/profile.ts";
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

/**
 * The values that are varied by default, by the name of the profile's prior. The ranges hold the values of the built-in
 * profiles and all that were better in some measure when those were chosen.
 */
const USUAL: Readonly<Record<string, (layers: number) => readonly string[]>> = {
  "local-nn":
    () => ["prior.neighbours=20..1500", "prior.hubPenalty=0..2", "seedNoise=0..0.06", "layers.0.projection=0..8"],
  detail: (layers) => {
    const all = Array.from({ length: layers }, (_, l) => `layers.${l}.prior`), finer = all.slice(0, -1);
    return [
      ...all.map((prior) => `${prior}.gain=1..1.4`),
      ...finer.map((prior) => `${prior}.bonus=0..16`),
      ...finer.slice(-1).map((prior) => `${prior}.maxShare=0.4..1`),
      `${all.at(-1)}.neighbours=5..60`,
      "layers.*.feather=0..6",
    ];
  },
};

/** From this ratio of a range's ends on, values are drawn on a logarithmic scale: each order of magnitude as often. */
const LOG_RATIO = 8;
/** The point of a range at which the plan is asked whether it takes fractions: between integers, whatever the range. */
const PROBE = 0.381966;
/** Keys the random numbers of trials. */
const TRIAL_STREAM = 0x74756e65;

/** Returns the values that are varied by default; [] if there are none for the profile's prior. */
export function usualSpace({ prior, layers }: Profile): readonly string[] {
  const name = String(partsOf(prior).name);
  return Object.hasOwn(USUAL, name) ? USUAL[name](layers.length) : [];
}

/** Makes a profile with settings replaced, as `withSetting`; `layers.*` stands for every layer. */
export function withSettings(profile: Profile, settings: readonly string[]): Profile {
  return settings.flatMap((setting) => {
    if (!setting.startsWith("layers.*.")) return [setting];
    return profile.layers.map((_, l) => setting.replace("*", String(l)));
  }).reduce(withSetting, profile);
}

/**
 * Reads what to vary: `NAME=LOW..HIGH`, or `NAME=VALUE,VALUE,...`. Whether a range has integers only is asked of the profile's
 * plan.
 *
 * @throws {Error} if it is neither, or if the profile does not take a value
 */
export function readVaried(profile: Profile, text: string, plugins: Registry): Varied {
  const equals = text.indexOf("="), name = text.slice(0, Math.max(equals, 0)), given = text.slice(equals + 1);
  const cannot = (why: string) => new Error(`Cannot vary "${text}": ${why}`);
  const expected = "expected NAME=LOW..HIGH or NAME=VALUE,VALUE, such as prior.neighbours=5..30";
  if (equals < 1 || given === "") throw cannot(expected);
  const refusal = (value: string | number) => {
    try {
      plan(withSettings(profile, [`${name}=${value}`]), plugins);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const check = (values: readonly (string | number)[]) => {
    const refused = values.map(refusal).find((message) => message !== undefined);
    if (refused !== undefined) throw cannot(refused);
  };
  if (!given.includes("..")) {
    const values = given.split(",");
    if (values.length < 2) throw cannot(expected);
    check(values);
    return { name, values };
  }
  const ends = given.split("..").map((end) => end.trim() === "" ? NaN : Number(end)), [low, high] = ends;
  if (ends.length !== 2 || !ends.every(Number.isFinite) || low >= high) throw cannot(expected);
  check(ends);
  const integer = refusal(low + PROBE * (high - low)) !== undefined;
  return { name, low, high, integer, log: low > 0 && high / low >= LOG_RATIO };
}

/** Draws the settings of a trial; the same for the same seed, trial and space. */
export function drawSettings(space: readonly Varied[], seed: number, trial: number): string[] {
  const random = stream(seed, TRIAL_STREAM, trial);
  return space.map((varied) => `${varied.name}=${drawn(varied, random.next())}`);
}

/** Turns a uniform number in [0, 1) into a value: of three digits, so that profiles can be read. */
function drawn(varied: Varied, at: number): string | number {
  if ("values" in varied) return varied.values[Math.floor(at * varied.values.length)];
  const { low, high, integer, log } = varied;
  const between = (a: number, b: number) => log ? a * (b / a) ** at : a + at * (b - a);
  // Half a step beyond both ends, so that these are drawn as often as other integers.
  if (integer) return Math.min(Math.max(Math.round(between(low - 0.5, high + 0.5)), low), high);
  return Math.min(Math.max(Number(between(low, high).toPrecision(3)), low), high);
}
