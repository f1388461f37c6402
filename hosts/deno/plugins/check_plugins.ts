/** Runs the conformance suites on loaded plugins, for `plugin check`. */
import type { AnyPlugin, Kinds } from "../../../core/plugin.ts";
import { nameOf, placeIn, said, thrownBy } from "../../../core/plugin_error.ts";
import type { Check } from "../../../core/testing/check.ts";
import {
  contextChecks,
  denoiserChecks,
  metricChecks,
  type PriorCheckOptions,
  priorChecks,
} from "../../../core/testing/mod.ts";
import { builtins } from "../../../plugins/mod.ts";
import { denied } from "../threads/posted_error.ts";
import type { PluginSource } from "./plugins.ts";

/** The checks that plugins are excused from, each with the reason. */
export type Excuses = Pick<
  PriorCheckOptions,
  "deterministic" | "ignoresContext" | "ignoresRho" | "samplesOnly" | "transforms" | "unchanged"
>;

/** The set-up of a worker that runs checks. */
export interface CheckSetUp {
  readonly sources: readonly PluginSource[];
  readonly excuses: Excuses;
  readonly module: WebAssembly.Module;
}

/** A task of such a worker: the check of a number, of the plugin of a number. */
export interface CheckTask {
  readonly plugin: number;
  readonly check: number;
}

/** A plugin, and the titles of its checks. */
export interface ListedSuite extends Omit<CheckedPlugin, "checks"> {
  readonly titles: readonly string[];
}

/** The result of a check. */
export interface CheckResult {
  readonly title: string;
  /** Missing if the check was passed. */
  readonly error?: string;
  /** What the plugin itself threw, with its line. */
  readonly thrown?: string;
}

/** A plugin and the results of its checks. */
export interface CheckedPlugin {
  readonly kind: keyof Kinds;
  readonly name: string;
  readonly from?: string;
  readonly checks: readonly CheckResult[];
}

/** A plugin and its checks. Titles begin with the plugin's name, which `checksText` prints only once, above them. */
export interface Suite {
  readonly plugin: AnyPlugin;
  readonly checks: readonly Check[];
}

/** The suite of a plugin's kind, on the twin and on the WebAssembly kernels. */
export function suiteFor(plugin: AnyPlugin, excuses: Excuses, module: WebAssembly.Module): Suite {
  const named = { ...plugin, from: undefined }, prefix = `${nameOf(named)} `;
  // A run refuses a plugin with the name of a built-in one, so this is checked, too.
  const alone: Check = [`${prefix}has a name of its own`, () => void builtins.with(plugin)];
  const checks = [...suiteIn(plugin, () => suiteOf(named, excuses, module)), alone];
  return { plugin, checks: checks.map(([title, check]) => [title.slice(prefix.length), check]) };
}

/** Runs a check. Those of all suites are synchronous. */
export function resultOf(plugin: AnyPlugin, [title, check]: Check): CheckResult {
  try {
    check();
    return { title };
  } catch (failure) {
    return { title, ...failureOf(plugin, failure as Error) };
  }
}

/** The checks of a suite, which ends where the plugin cannot even be created: its error is then that of a check. */
function* suiteIn(plugin: AnyPlugin, suite: () => Iterable<Check>): Iterable<Check> {
  try {
    yield* suite();
  } catch (cause) {
    const fail = () => {
      throw new Error(`failed in create: ${said(thrownBy(cause))}`, { cause });
    };
    yield [`${nameOf({ ...plugin, from: undefined })} is created`, fail];
  }
}

function failureOf(plugin: AnyPlugin, { message, cause }: Error): Pick<CheckResult, "error" | "thrown"> {
  if (cause === undefined) return { error: denied(message) };
  const thrown = thrownBy(cause), place = placeIn(plugin, thrown);
  return { error: denied(message) + place, thrown: denied(said(thrown)) + place };
}

function suiteOf(plugin: AnyPlugin, excuses: Excuses, module: WebAssembly.Module): Iterable<Check> {
  if (plugin.kind === "prior") return priorChecks(plugin, { ...excuses, module });
  if (plugin.kind === "metric") return metricChecks(plugin, { unchanged: excuses.unchanged, module });
  if (plugin.kind === "denoiser") return denoiserChecks(plugin, { unchanged: excuses.unchanged, module });
  return contextChecks(plugin, { unchanged: excuses.unchanged });
}
