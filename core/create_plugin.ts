/** Creates priors, contexts, metrics and denoisers from plugins. */
import type { Metric } from "./metric.ts";
import type { Kinds, Plugin, Values } from "./plugin.ts";
import { during, requireCount, requireFunction } from "./plugin_error.ts";

/** The function that what a plugin of each kind creates must have. */
const WORK: Readonly<Record<keyof Kinds, string>> = {
  prior: "fit",
  context: "mask",
  metric: "measure",
  denoiser: "fit",
};

/**
 * Creates what a plugin is for.
 *
 * @throws what `create` throws; and Error where it returns something else, or something with a number that is no count
 */
export function createFrom<K extends keyof Kinds>(plugin: Plugin<K>, values: Values): Kinds[K] {
  const created = during(plugin, "create", () => plugin.create(values));
  requireFunction(plugin, "create", created, WORK[plugin.kind]);
  // Hosts make room for so many.
  if (plugin.kind === "metric") requireCount(plugin, "create", created, "trainingNeighbours" satisfies keyof Metric);
  return created;
}
