/** Opens the plugins that a command line names. Their code runs in workers only. */
import type { AnyPlugin } from "../../../core/plugin.ts";
import { nameOf } from "../../../core/plugin_error.ts";
import { builtins } from "../../../plugins/mod.ts";
import { endAtSignals } from "../cli/stop_signals.ts";
import { describePlugins } from "./describe_plugins.ts";
import { inOwnProcess } from "./own_process.ts";
import { codeHash, readLock } from "./plugin_code.ts";
import { readSources } from "./plugin_source.ts";
import type { Plugins, PluginSource } from "./plugins.ts";

/**
 * Opens the plugins of `--plugin`, which may be none, and says which ones there are.
 *
 * @throws {Error} that names the specifier, if a plugin cannot be loaded
 */
export async function openPlugins(
  specifiers: readonly string[],
  sandbox: boolean,
  say: (text: string) => void = () => {},
): Promise<Plugins> {
  const sources = readSources(specifiers, sandbox);
  await inOwnProcess(specifiers);
  if (sources.length > 0) endAtSignals();
  const loaded = sources.length > 0 ? await withCode(await describePlugins(sources, sandbox), sources) : [];
  for (const plugin of loaded) say(`Plugin: ${nameOf(plugin)}${sandbox ? ", in a sandbox" : ""}`);
  return { registry: builtins.with(...loaded), sources, sandbox };
}

/** Adds the hash of its code to each plugin. Afterwards the lock file knows what was loaded. */
async function withCode(plugins: readonly AnyPlugin[], sources: readonly PluginSource[]): Promise<AnyPlugin[]> {
  const lock = await readLock();
  const codes = new Map<string, string>();
  for (const source of sources) codes.set(source.specifier, await codeHash(source, lock));
  return plugins.map((plugin) => ({ ...plugin, code: codes.get(plugin.from ?? "") }));
}
