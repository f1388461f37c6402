/** What a plugin is: a plain object with a name, a table of options, and a function that creates a prior, a context, a metric or a denoiser. */
import type { Denoiser } from "./denoiser.ts";
import type { Context, Prior } from "./types.ts";
import type { Metric } from "./metric.ts";

/** What a plugin of each kind creates. */
export interface Kinds {
  /** Priors draw patches. */
  prior: Prior;
  /** Contexts choose the pixels around a patch that count in its distance. */
  context: Context;
  /** Metrics measure generated images. */
  metric: Metric;
  /** Denoisers estimate images behind noise, from which images are made without a seed image. */
  denoiser: Denoiser;
}

/** One option of a plugin. Its default fixes its type; the table serves the flags, `--help`, validation and the report. */
export interface Option {
  /** The value of an option that is not set. */
  readonly default: number | boolean | string;
  /** One line for people: the visible effect ("larger: smoother seams, less variety"). */
  readonly about: string;
  /** The least number allowed. */
  readonly min?: number;
  /** The largest number allowed. */
  readonly max?: number;
  /** Whole numbers only. */
  readonly integer?: boolean;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** Words that may be written in place of numbers that mean something special: `{ auto: 0 }`. The plugin gets the number. */
  readonly words?: Readonly<Record<string, number>>;
  /** The value without the option's idea, for ablations; the default where it is left out. */
  readonly off?: number | boolean | string;
}

/** A range in which `tune` varies an option of a prior if it is asked for nothing else. */
export interface TunedOption {
  /** The option's name. */
  readonly option: string;
  /** The least value. */
  readonly low: number;
  /** The largest value. */
  readonly high: number;
  /**
   * The first and the last layer that get a value of their own, counted from the coarsest, which is 0. Without a last one: up to
   * the finest. Without `layers` one value holds for all.
   */
  readonly layers?: readonly [first: number, last?: number];
}

/** A table of options by name. */
export type Options = Readonly<Record<string, Option>>;

/** The values of a table of options. */
export type Values<O extends Options = Options> = {
  readonly [K in keyof O]: O[K]["default"] extends number ? number
    : O[K]["default"] extends boolean ? boolean
    : O[K]["default"] extends string ? string
    : Option["default"];
};

/** The values of a table of options as a profile writes them: some or all, with words where options have them. */
export type WrittenValues<O extends Options = Options> = {
  readonly [K in keyof O]?: Values<O>[K] | (O[K] extends { words: infer W } ? keyof W : never);
};

/** A plugin: a plain object that names its kind, itself and its options, and creates what it is for. */
export interface Plugin<K extends keyof Kinds = keyof Kinds, O extends Options = Options, N extends string = string> {
  /** Version of the contract between plugins and Patchloom. */
  readonly api: 1;
  /** Whether it is a prior, a context, a metric or a denoiser. */
  readonly kind: K;
  /** Lower case words joined by hyphens. */
  readonly name: N;
  /** One line for people. */
  readonly about: string;
  /** Its options by name; {} for none. */
  readonly options: O;
  /** For priors: the options that `tune` varies by default. The ranges hold the values of good profiles. */
  readonly tune?: readonly TunedOption[];
  /** The specifier that a host loaded it from, for error sentences. Authors leave it out. */
  readonly from?: string;
  /** The SHA-256 of its code, by which a host tells versions apart. Authors leave it out. */
  readonly code?: string;
  /** That of the plugins loaded with it, which share its workers and could change it, by kind and name. Authors leave it out. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Creates what the plugin is for. `values` has all options: those that were given, and defaults for the others. */
  create(values: Values<O>): Kinds[K];
}

/** A plugin of any kind, name and options. */
// deno-lint-ignore no-explicit-any
export type AnyPlugin = { [K in keyof Kinds]: Plugin<K, any> }[keyof Kinds];

/**
 * Gives a plugin its types, and returns it unchanged: the defaults of the options fix the types of `values` in `create`, and the
 * name those of profiles.
 *
 * @example A context of one pixel
 * ```ts
 * import { definePlugin } from "@patchloom/patchloom";
 *
 * const corner = definePlugin({
 *   api: 1,
 *   kind: "context",
 *   name: "corner",
 *   about: "the pixel above and to the left of the patch",
 *   options: { weight: { default: 0.5, min: 0.001, max: 1, about: "of that pixel against the patch's own" } },
 *   create: ({ weight }) => ({ mask: () => [{ dx: -1, dy: -1, weight }] }),
 * });
 * ```
 */
export function definePlugin<K extends keyof Kinds, const O extends Options, const N extends string>(
  plugin: Plugin<K, O, N>,
): Plugin<K, O, N> {
  return plugin;
}
