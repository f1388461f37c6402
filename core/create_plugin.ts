/** Creates priors, contexts, metrics and denoisers from plugins. */
import type { Kinds, Plugin, Values } from "./plugin.ts";
import { during, requireFunction } from "./plugin_error.ts";

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
 * @throws what `create` throws; and Error where it returns something else
 */
export function createFrom<K extends keyof Kinds>(plugin: Plugin<K>, values: Values): Kinds[K] {
  const created = during(plugin, "create", () => plugin.create(values));
  requireFunction(plugin, "create", created, WORK[plugin.kind]);
  return created;
}
