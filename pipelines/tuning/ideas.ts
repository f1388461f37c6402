/** What a profile does otherwise than a baseline, one idea at a time: the variants of an ablation. */
import { writtenValues } from "../../core/options.ts";
import { type Plan, plan } from "../../core/plan.ts";
import { keysOf } from "../../core/entries.ts";
import { LAYER, PROFILE, type Profile, type ProfileLayer } from "../../core/profile.ts";
import type { Registry } from "../../core/registry.ts";
import { withSettings } from "./search_space.ts";

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
/** Entries that are plugins, say what the images are, or count only where seed images are drawn from a model or restored. */
const OTHERS: readonly string[] = ["prior", "contexts", "channels", "aligned", "seedModel", "restoredAs"];

/**
 * Lists the ideas of a profile: all differences from the baseline, each switched off alone. Prior, contexts, entries of layers and
 * of the profile are reset to the baseline's. So are options of the prior if the baseline has the same one; otherwise they are
 * reset to the value that switches them off, or to their default.
 *
 * @throws {Error} if a profile is wrong, or if the baseline has another number of layers
 */
export function ideasOf(profile: Profile, baseline: Profile, plugins: Registry): Idea[] {
  const own = plan(profile, plugins), other = plan(baseline, plugins);
  if (own.layers.length !== other.layers.length) {
    throw new Error(
      `Cannot compare profile "${profile.name}" with "${baseline.name}": expected ${own.layers.length} layers, ` +
        `got ${other.layers.length}`,
    );
  }
  const samePriors = own.layers.every(({ prior }, l) => prior.plugin.name === other.layers[l].prior.plugin.name);
  const ideas: Idea[] = [
    ...samePriors ? [] : [{ name: "prior", off: nameOf(other), profile: withBaselines(profile, baseline, ["prior"]) }],
    { name: "contexts", off: `those of ${baseline.name}`, profile: withBaselines(profile, baseline, ["contexts"]) },
    ...optionIdeas(profile, own, other),
    ...entryIdeas(profile, baseline, plugins),
  ];
  return ideas.filter((idea) => isOther(plan(idea.profile, plugins), own));
}

/** Resets entries of the profile and of all its layers to the baseline's. */
function withBaselines(profile: Profile, baseline: Profile, names: readonly string[]): Profile {
  const reset = <T extends object>(to: T, from: T): T => {
    const kept = Object.entries(to).filter(([name]) => !names.includes(name));
    const taken = Object.entries(from).filter(([name]) => names.includes(name));
    return Object.fromEntries([...kept, ...taken]) as T;
  };
  const layers = profile.layers.map((layer, l): ProfileLayer => reset(layer, baseline.layers[l]));
  return { ...reset(profile, baseline), layers };
}

/** Ideas that are options of the prior, in every layer that has it. */
function optionIdeas(profile: Profile, own: Plan, other: Plan): Idea[] {
  const { prior: { plugin } } = own, { name } = plugin;
  return Object.entries(plugin.options).map(([option, { default: usual, off = usual }]) => {
    const settings = own.layers.flatMap(({ prior }, l) => {
      if (prior.plugin.name !== name) return [];
      const { plugin: base, values } = other.layers[l].prior;
      return [`layers.${l}.prior.${option}=${base.name === name ? writtenValues(base, values)[option] : off}`];
    });
    const value = nameOf(other) === name ? writtenValues(plugin, other.prior.values)[option] : off;
    return { name: `prior.${option}`, off: String(value), profile: withSettings(profile, settings) };
  });
}

/** Ideas that are entries of layers or of the profile. Those that cannot be reset alone are one idea. */
function entryIdeas(profile: Profile, baseline: Profile, plugins: Registry): Idea[] {
  const names = [...Object.keys(LAYER), ...keysOf(PROFILE).optional].filter((name) => !OTHERS.includes(name));
  const idea = (name: string, entries: readonly string[]) => {
    return { name, off: `that of ${baseline.name}`, profile: withBaselines(profile, baseline, entries) };
  };
  const isPlan = ({ profile }: Idea) => {
    try {
      return plan(profile, plugins) !== undefined;
    } catch {
      return false;
    }
  };
  const ideas = names.map((name) => idea(name, [name])), refused = ideas.filter((one) => !isPlan(one));
  const together = refused.length > 0 ? [idea(refused.map(({ name }) => name).join(" + "), DEPENDENT)] : [];
  return [...together, ...ideas.filter(isPlan)];
}

function nameOf({ prior }: Plan): string {
  return prior.plugin.name;
}

/** Whether two plans synthesize otherwise. */
function isOther(a: Plan, b: Plan): boolean {
  const content = ({ profile: _, ...rest }: Plan) => {
    return JSON.stringify(rest, (key, value) => key === "plugin" ? value.name : value);
  };
  return content(a) !== content(b);
}
