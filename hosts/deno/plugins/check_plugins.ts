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

/** The message to a worker that runs checks. */
export interface CheckTask {
  readonly sources: readonly PluginSource[];
  readonly excuses: Excuses;
  readonly module: WebAssembly.Module;
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

/** Runs the suite of a plugin's kind, on the twin and on the WebAssembly kernels. */
export async function checkConformance(
  plugin: AnyPlugin,
  excuses: Excuses,
  module: WebAssembly.Module,
): Promise<CheckedPlugin> {
  // Titles begin with the plugin's name, which `checksText` prints only once, above them.
  const named = { ...plugin, from: undefined }, prefix = `${nameOf(named)} `, checks: CheckResult[] = [];
  // A run refuses a plugin with the name of a built-in one, so this is checked, too.
  const alone: Check = [`${prefix}has a name of its own`, () => void builtins.with(plugin)];
  for (const [title, check] of [...suiteIn(plugin, () => suiteOf(named, excuses, module)), alone]) {
    const result = { title: title.slice(prefix.length) };
    try {
      await check();
      checks.push(result);
    } catch (failure) {
      checks.push({ ...result, ...failureOf(plugin, failure as Error) });
    }
  }
  return { kind: plugin.kind, name: plugin.name, from: plugin.from, checks };
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
