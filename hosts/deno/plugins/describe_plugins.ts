/** Describes third-party plugins, which are loaded in workers only. The main thread gets their plain data, never their code. */
import { checkPlugin } from "../../../core/check_plugin.ts";
import type { AnyPlugin, Kinds, Values } from "../../../core/plugin.ts";
import type { Metric } from "../../../core/metric.ts";
import type { Plan } from "../../../core/plan.ts";
import type { ContextPixel } from "../../../core/types.ts";
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
  return found.map((one) => standIn(one, { sources, sandbox, known: new Map() }));
}

/** The mask of a context with values of its options, for LR patches of a side, in LR images whose longer side is `size`. */
export interface MaskTask {
  readonly name: string;
  readonly values: Values;
  readonly side: number;
  readonly size: number;
}

/** What a stand-in knows: where its plugin is, and the masks that a worker said. */
interface Known {
  readonly sources: readonly PluginSource[];
  readonly sandbox: boolean;
  readonly known: Map<string, readonly ContextPixel[]>;
}

/** What the stand-ins know, by their functions that create: copies of a plugin share that. */
const knownByCreate = new WeakMap<object, Known>();

const keyOf = ({ values, side, size }: Omit<MaskTask, "name">) => JSON.stringify([values, side, size]);

/**
 * Lets a worker say the masks of a plan's contexts that are stand-ins, so that the work of each layer, and the images that it compares,
 * are known here.
 *
 * @throws {Error} if a plugin fails in `create` or `mask`, or masks a pixel wrongly
 */
export async function learnMasks({ layers }: Pick<Plan, "layers">): Promise<void> {
  const module = new URL("./mask_worker.ts", import.meta.url), asked = new Map<Known, Map<string, MaskTask>>();
  for (const { height, width, patch, contexts } of layers) {
    for (const { plugin, values } of contexts) {
      const known = knownByCreate.get(plugin.create), side = patch / 2, size = Math.max(height, width) / 2;
      if (!known || known.known.has(keyOf({ values, side, size }))) continue;
      const tasks = asked.get(known) ?? new Map<string, MaskTask>();
      asked.set(known, tasks.set(keyOf({ values, side, size }), { name: plugin.name, values, side, size }));
    }
  }
  for (const [{ sources, sandbox, known }, byKey] of asked) {
    const start = () => startWorker<MaskTask, ContextPixel[]>(module, sources, { sources, sandbox });
    const tasks = [...byKey.values()];
    for await (const event of runPool({ threads: 1, tasks, start })) {
      if (event.type === "result") known.set(keyOf(tasks[event.task]), event.result);
    }
  }
}

/** Makes a plugin that cannot run. A plugin may forge its description: it is checked like any other. */
function standIn({ metric, parts, ...plugin }: Description, about: Known): AnyPlugin {
  const create = (values: Values) => {
    const run = (): never => {
      throw new Error(`${plugin.kind} "${plugin.name}" runs in workers only`);
    };
    return {
      fit: run,
      parts: parts === true ? { count: run, fit: run, load: run } : undefined,
      mask: (side: number, size: number) => about.known.get(keyOf({ values, side, size })) ?? run(),
      measure: run,
      separable: metric?.separable === true,
      together: metric?.together === true,
    };
  };
  const standIn = { ...plugin, create };
  checkPlugin(standIn, "Cannot use a plugin's description");
  knownByCreate.set(create, about);
  return standIn;
}
