/** Converts between the values of the page's controls and the entries of a request, which name only what differs from the profile. */
import { writtenValues } from "../../../core/options.ts";
import { type Plan, plan } from "../../../core/plan.ts";
import type { Option, Values } from "../../../core/plugin.ts";
import type { Profile } from "../../../core/profile.ts";
import type { Registry } from "../../../core/registry.ts";
import { type ProfileRequest, requestedPlan } from "../../../pipelines/synthesis/request.ts";

/** A plugin by name, and the values of its options. */
export interface Named {
  readonly name: string;
  readonly values: Values;
}

/** The values of the controls. */
export interface Settings {
  readonly prior: Named;
  readonly contexts: readonly Named[];
  readonly zStep: Plan["zStep"];
  /** Standard deviation of the noise that is added to seed images, 0 .. 1. */
  readonly seedNoise: number;
  /** Changed values of single layers: `layers.0.h.1=8`; of textures also `size.0=128` and `tile=both`. */
  readonly layers: readonly string[];
}

/** Returns the settings of a plan. `set` is the entry of the request that the plan was made for. */
export function settingsOf(planned: Plan, set: readonly string[]): Settings {
  const named = ({ plugin, values }: Plan["prior"] | Plan["contexts"][number]) => ({ name: plugin.name, values });
  return {
    prior: named(planned.prior),
    contexts: planned.contexts.map(named),
    zStep: planned.zStep,
    seedNoise: planned.seedNoise,
    layers: set.filter((setting) => /^(layers\.|size\.|tile=)/.test(setting)),
  };
}

/** Returns the entries of a request that change a profile to settings. */
export function requestFor(
  profile: Profile,
  settings: Settings,
  plugins: Registry,
): Required<Pick<ProfileRequest, "set">> & ProfileRequest {
  const own = plan(profile, plugins), names = settings.contexts.map(({ name }) => name);
  const sameContexts = String(names) === String(own.contexts.map(({ plugin }) => plugin.name));
  const chosen: ProfileRequest = {
    ...settings.prior.name === own.prior.plugin.name ? {} : { prior: settings.prior.name },
    ...sameContexts ? {} : { contexts: names },
    ...settings.zStep === own.zStep ? {} : { zStep: settings.zStep },
  };
  const base = requestedPlan(profile, chosen, plugins);
  const differing = (
    name: string,
    values: Values,
    { plugin, values: from }: Plan["prior"] | Plan["contexts"][number],
  ) => {
    const written = writtenValues(plugin, values);
    return Object.keys(values).filter((key) => values[key] !== from[key]).map((key) =>
      `${name}.${key}=${written[key]}`
    );
  };
  return {
    ...chosen,
    set: [
      ...differing("prior", settings.prior.values, base.prior),
      ...settings.contexts.flatMap(({ name, values }, i) => differing(name, values, base.contexts[i])),
      ...settings.seedNoise === own.seedNoise ? [] : [`seedNoise=${settings.seedNoise}`],
      ...settings.layers,
    ],
  };
}

/** Sets a value in a list of settings, in place of an earlier one. A value that equals the profile's, `own`, is left out. */
export function withSettingValue<T extends number | string | boolean>(
  layers: readonly string[],
  name: string,
  value: T,
  own: T,
): string[] {
  const others = layers.filter((setting) => !setting.startsWith(`${name}=`));
  return value === own ? others : [...others, `${name}=${value}`];
}

/** The last position of a slider. */
export const POSITIONS = 200;

/**
 * The range of an option's values that its slider covers: from the smallest to the largest, but at most ten times the default.
 * A range of more than two decades is logarithmic: both of its ends stay usable.
 */
export function sliderRange({ default: usual, min = 0, max = Infinity }: Option & { default: number }) {
  const low = min, high = Math.max(Math.min(max, 10 * Math.abs(usual) || 10), low);
  return { low, high, logarithmic: low > 0 && high / low > 100 };
}

/** The value at a slider's position 0 .. POSITIONS, rounded to three digits, to be easy to read. */
export function valueAt(option: Option & { default: number }, position: number): number {
  const { low, high, logarithmic } = sliderRange(option), part = position / POSITIONS;
  const exact = logarithmic ? low * (high / low) ** part : low + part * (high - low);
  const value = option.integer ? Math.round(exact) : Number(exact.toPrecision(3));
  return Math.min(Math.max(value, low), high);
}

/** The slider's position nearest to a value. */
export function positionOf(option: Option & { default: number }, value: number): number {
  const { low, high, logarithmic } = sliderRange(option);
  const part = logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low || 1);
  return Math.round(Math.min(Math.max(part, 0), 1) * POSITIONS);
}
