/** Describes third-party plugins, which are loaded in workers only. The main thread gets their plain data, never their code. */
import { checkPlugin } from "../../../core/check_plugin.ts";
import type { AnyPlugin, Kinds } from "../../../core/plugin.ts";
import type { Metric } from "../../../core/metric.ts";
import { startWorker } from "./plugin_worker.ts";
import { runPool } from "../threads/worker_pool.ts";
import type { PluginSource } from "./plugins.ts";

/** A plugin without its code, how a metric is run, and whether a prior is fitted in parts. */
export interface Description extends Omit<AnyPlugin, "create" | "kind"> {
  readonly kind: keyof Kinds;
  readonly metric?: Pick<Metric, "separable" | "together">;
  readonly parts?: boolean;
}

/** Loads plugins in a worker and makes stand-ins for them, which can be planned with but not run. */
export async function describePlugins(sources: readonly PluginSource[], sandbox: boolean): Promise<AnyPlugin[]> {
  const found: Description[] = [], module = new URL("./describe_worker.ts", import.meta.url);
  const start = () => startWorker<void, Description[]>(module, sources, { sources, sandbox });
  for await (const event of runPool({ threads: 1, tasks: [undefined], start })) {
    if (event.type === "result") found.push(...event.result);
  }
  return found.map(standIn);
}

/** Makes a plugin that cannot run. A plugin may forge its description: it is checked like any other. */
function standIn({ metric, parts, ...plugin }: Description): AnyPlugin {
  const create = () => {
    const run = () => {
      throw new Error(`${plugin.kind} "${plugin.name}" runs in workers only`);
    };
    return {
      fit: run,
      parts: parts === true ? { count: run, fit: run, load: run } : undefined,
      mask: run,
      measure: run,
      separable: metric?.separable === true,
      together: metric?.together === true,
    };
  };
  const standIn = { ...plugin, create };
  checkPlugin(standIn, "Cannot use a plugin's description");
  return standIn;
}
