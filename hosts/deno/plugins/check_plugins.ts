/** Runs the conformance suites on loaded plugins, for `plugin check`. */
import type { Kinds } from "../../../core/plugin.ts";
import { nameOf } from "../../../core/plugin_error.ts";
import type { Check } from "../../../core/testing/check.ts";
import { contextChecks, metricChecks, type PriorCheckOptions, priorChecks } from "../../../core/testing/mod.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { builtins } from "../../../plugins/mod.ts";
import type { PluginSource } from "./plugins.ts";
import { denied } from "../workers/posted_error.ts";

/** The checks that plugins are excused from, each with the reason. */
export type Excuses = Pick<
  PriorCheckOptions,
  "deterministic" | "ignoresRho" | "samplesOnly" | "transforms" | "unchanged"
>;

/** The message that a worker gets. */
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
  /** `error` is missing where the check was passed. */
  readonly checks: readonly { readonly title: string; readonly error?: string }[];
}

/** Runs the suite of a plugin's kind, on the twin and on the WebAssembly kernels. */
export async function checkConformance(
  plugin: AnyPlugin,
  excuses: Excuses,
  module: WebAssembly.Module,
): Promise<CheckedPlugin> {
  // Each title begins with the plugin's name; here it stands above them.
  const named = { ...plugin, from: undefined }, prefix = `${nameOf(named)} `, checks = [];
  // A run refuses a plugin with the name of a built-in one: its author should learn that here.
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
  return contextChecks(plugin, { unchanged: excuses.unchanged });
}

/** The results as text: a line for each check, grouped by plugin, and how many passed. */
export function checksText(plugins: readonly CheckedPlugin[]): string {
  return plugins.map((plugin) => {
    const passed = plugin.checks.filter(({ error }) => error === undefined).length;
    const lines = plugin.checks.map(({ title, error }) => {
      return error === undefined ? `  ok    ${title}` : `  FAIL  ${title}\n        ${error}`;
    });
    return [nameOf(plugin), ...lines, `${passed} of ${plugin.checks.length} checks passed`].join("\n");
  }).join("\n\n");
}
