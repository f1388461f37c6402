/** Runs the conformance suites on loaded plugins, for `plugin check`. */
import type { AnyPlugin, Kinds } from "../../../core/plugin.ts";
import { nameOf } from "../../../core/plugin_error.ts";
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
  "deterministic" | "ignoresRho" | "samplesOnly" | "transforms" | "unchanged"
>;

/** The message to a worker that runs checks. */
export interface CheckTask {
  readonly sources: readonly PluginSource[];
  readonly excuses: Excuses;
  readonly module: WebAssembly.Module;
}

/** A plugin and the results of its checks. */
export interface CheckedPlugin {
  readonly kind: keyof Kinds;
  readonly name: string;
  readonly from?: string;
  /** `error` is missing if the check was passed. */
  readonly checks: readonly { readonly title: string; readonly error?: string }[];
}

/** Runs the suite of a plugin's kind, on the twin and on the WebAssembly kernels. */
export async function checkConformance(
  plugin: AnyPlugin,
  excuses: Excuses,
  module: WebAssembly.Module,
): Promise<CheckedPlugin> {
  // Titles begin with the plugin's name, which `checksText` prints only once, above them.
  const named = { ...plugin, from: undefined }, prefix = `${nameOf(named)} `, checks = [];
  // A run refuses a plugin with the name of a built-in one, so this is checked, too.
  const alone: Check = [`${prefix}has a name of its own`, () => void builtins.with(plugin)];
  for (const [title, check] of [...suiteOf(named, excuses, module), alone]) {
    let error: string | undefined;
    try {
      await check();
    } catch (thrown) {
      error = denied((thrown as Error).message);
    }
    checks.push({ title: title.slice(prefix.length), error });
  }
  return { kind: plugin.kind, name: plugin.name, from: plugin.from, checks };
}

function suiteOf(plugin: AnyPlugin, excuses: Excuses, module: WebAssembly.Module): Iterable<Check> {
  if (plugin.kind === "prior") return priorChecks(plugin, { ...excuses, module });
  if (plugin.kind === "metric") return metricChecks(plugin, { unchanged: excuses.unchanged, module });
  if (plugin.kind === "denoiser") return denoiserChecks(plugin, { unchanged: excuses.unchanged, module });
  return contextChecks(plugin, { unchanged: excuses.unchanged });
}

/** Writes the results as text: a line for each check, grouped by plugin, and how many passed. */
export function checksText(plugins: readonly CheckedPlugin[]): string {
  return plugins.map((plugin) => {
    const passed = plugin.checks.filter(({ error }) => error === undefined).length;
    const lines = plugin.checks.map(({ title, error }) => {
      return error === undefined ? `  ok    ${title}` : `  FAIL  ${title}\n        ${error}`;
    });
    return [nameOf(plugin), ...lines, `${passed} of ${plugin.checks.length} checks passed`].join("\n");
  }).join("\n\n");
}
