/** The third-party plugins of a run, as a worker has them: their code never comes through the queue. */
import type { Settings } from "../../../pipelines/shards/settings.ts";
import { hashesOf } from "../plugins/open_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { Unsuited } from "./jobs.ts";

/**
 * Finds the modules whose code a run was begun with, by SHA-256. Nothing of them is run.
 *
 * @param sources the modules that the worker was started with
 * @throws {Unsuited} if the code of a plugin is in none of them
 */
export async function pluginsOfRun(
  { plugins: needed = {} }: Pick<Settings, "plugins">,
  sources: readonly PluginSource[],
  folder: string,
): Promise<PluginSource[]> {
  const sums = new Set(Object.values(needed));
  if (sums.size === 0) return [];
  const hashes = await hashesOf(sources), there = new Set(hashes.values());
  for (const [plugin, sum] of Object.entries(needed)) {
    if (there.has(sum)) continue;
    const got = [...hashes].map(([specifier, hash]) => `${specifier} of ${hash.slice(0, 12)}`).join(", ");
    throw new Unsuited(
      `Cannot work for ${folder}, which uses the ${plugin}: expected --plugin of this worker with code of SHA-256 ` +
        `${sum.slice(0, 12)}, got ${got || "none"}`,
    );
  }
  return sources.filter(({ specifier }) => sums.has(hashes.get(specifier)!));
}
