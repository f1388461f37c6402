/** How a profile differs from a baseline, one idea at a time: the variants of an ablation. */
import { writtenValues } from "../../core/options.ts";
import { type Plan, plan } from "../../core/plan.ts";
import { keysOf } from "../../core/entries.ts";
import { DEFAULT_DENOISER, LAYER, PROFILE, type Profile, type ProfileLayer } from "../../core/profile.ts";
import { partsOf, withSettings } from "../../core/profile_changes.ts";
import type { Registry } from "../../core/registry.ts";

/** A profile with one idea switched off. */
export interface Idea {
  /** What was reset: "contexts", "feather" or "prior.bonus". */
  readonly name: string;
  /** What it was reset to. */
  readonly off: string;
  readonly profile: Profile;
}

/** Entries of a layer that depend on each other: lists have a value for each iteration, offsets are smaller than patches. */
const DEPENDENT = ["patch", "overlap", "iterations", "h", "lambda", "rho", "offsets"] as const;
/**
 * Entries that are no ideas by themselves: plugins, the kind of images, and what matters only for `--from model`, `restore`,
 * metrics and other numbers of images. `noise` is none as a whole: each of its entries is one.
 */
const OTHERS: readonly string[] = [
  "prior",
  "contexts",
  "channels",
  "aligned",
  "seedModel",
  "restoredAs",
  "regions",
  "few",
  "noise",
];
/** The values that switch limits of images from noise off. The default of other entries does. */
const OFF: NonNullable<Profile["noise"]> = { minOriginality: 0, maxStructure: 1 };

/**
 * Lists the ideas of a profile: all differences from the baseline, each switched off alone. Prior, contexts, entries of layers and
 * of the profile are reset to the baseline's. So are options of the prior if the baseline has the same one; otherwise they are
 * reset to the value that switches them off, or to their default. So are the entries by which images come from noise.
 *
 * @throws {Error} if a profile is wrong, or if the baseline has another number of layers
 */
export function ideasOf(profile: Profile, baseline: Profile, plugins: Registry): Idea[] {
  const planned = plan(profile, plugins);
  const base = plan(baseline, plugins);
  const counts = [profile, baseline].map(({ layers }) => layers.length);
  if (counts[0] !== counts[1]) {
    throw new Error(
      `Cannot compare profile "${profile.name}" with "${baseline.name}": expected ${counts[0]} layers, got ${
        counts[1]
      }`,
    );
  }
  const samePriors = planned.layers.every(({ prior }, l) => prior.plugin.name === base.layers[l].prior.plugin.name);
  const ideas: Idea[] = [
    ...samePriors ? [] : [{ name: "prior", off: nameOf(base), profile: withBaselines(profile, baseline, ["prior"]) }],
    { name: "contexts", off: `those of ${baseline.name}`, profile: withBaselines(profile, baseline, ["contexts"]) },
    ...optionIdeas(profile, planned, base),
    ...planned.noise ? noiseIdeas(profile).filter((one) => isPlan(one, plugins)) : [],
    ...entryIdeas(profile, baseline, plugins),
  ];
  return ideas.filter((idea) => isOther(plan(idea.profile, plugins), planned));
}

/** Resets entries of the profile and of all its layers to the baseline's. */
function withBaselines(profile: Profile, baseline: Profile, names: readonly string[]): Profile {
  const reset = <T extends object>(to: T, from: T): T => {
    const others = Object.entries(to).filter(([name]) => !names.includes(name));
    const replaced = Object.entries(from).filter(([name]) => names.includes(name));
    return Object.fromEntries([...others, ...replaced]) as T;
  };
  const layers = profile.layers.map((layer, l): ProfileLayer => reset(layer, baseline.layers[l]));
  return { ...reset(profile, baseline), layers };
}

/** Ideas that are options of the prior, in every layer that has it. */
function optionIdeas(profile: Profile, planned: Plan, base: Plan): Idea[] {
  const { prior: { plugin } } = planned, { name } = plugin;
  return Object.entries(plugin.options).map(([option, { default: usual, off = usual }]) => {
    const settings = planned.layers.flatMap(({ prior }, l) => {
      if (prior.plugin.name !== name) return [];
      const { plugin: replaced, values } = base.layers[l].prior;
      return [`layers.${l}.prior.${option}=${replaced.name === name ? writtenValues(replaced, values)[option] : off}`];
    });
    const value = nameOf(base) === name ? writtenValues(plugin, base.prior.values)[option] : off;
    return { name: `prior.${option}`, off: String(value), profile: withSettings(profile, settings) };
  });
}

/** Ideas that are entries by which images come from noise, or options of the denoiser. */
function noiseIdeas(profile: Profile): Idea[] {
  const { noise = {} } = profile, { name, options } = partsOf(noise.denoiser ?? DEFAULT_DENOISER);
  const withNoise = (changed: Profile["noise"]): Profile => ({ ...profile, noise: changed });
  const ofDenoiser = Object.keys(options).map((option) => {
    const { [option as keyof typeof options]: _, ...others } = options;
    const denoiser = [name, others] as unknown as NonNullable<Profile["noise"]>["denoiser"];
    return { name: `noise.denoiser.${option}`, off: "its default", profile: withNoise({ ...noise, denoiser }) };
  });
  const ofNoise = Object.keys(noise).filter((entry) => entry !== "denoiser").map((entry) => {
    const { [entry as keyof typeof noise]: _, ...others } = noise, off = OFF[entry as keyof typeof OFF];
    const profile = withNoise({ ...others, ...off !== undefined && { [entry]: off } });
    return { name: `noise.${entry}`, off: off === undefined ? "its default" : String(off), profile };
  });
  return [...ofDenoiser, ...ofNoise];
}

/** Ideas that are entries of layers or of the profile. Those that cannot be reset alone are one idea. */
function entryIdeas(profile: Profile, baseline: Profile, plugins: Registry): Idea[] {
  const names = [...Object.keys(LAYER), ...keysOf(PROFILE).optional].filter((name) => !OTHERS.includes(name));
  const idea = (name: string, entries: readonly string[]) => {
    return { name, off: `that of ${baseline.name}`, profile: withBaselines(profile, baseline, entries) };
  };
  const ideas = names.map((name) => idea(name, [name])), refused = ideas.filter((one) => !isPlan(one, plugins));
  const together = refused.length > 0 ? [idea(refused.map(({ name }) => name).join(" + "), DEPENDENT)] : [];
  return [...together, ...ideas.filter((one) => isPlan(one, plugins))];
}

/** Whether an idea can be switched off alone. */
function isPlan({ profile }: Idea, plugins: Registry): boolean {
  try {
    return plan(profile, plugins) !== undefined;
  } catch {
    return false;
  }
}

function nameOf({ prior }: Plan): string {
  return prior.plugin.name;
}

/** Whether two plans differ in what they synthesize. */
function isOther(a: Plan, b: Plan): boolean {
  const content = ({ profile: _, ...rest }: Plan) => {
    return JSON.stringify(rest, (key, value) => key === "plugin" ? value.name : value);
  };
  return content(a) !== content(b);
}
