/** Opens the plugins that a command line names. Their code runs in workers only. */
import type { AnyPlugin } from "../../../core/plugin.ts";
import { nameOf } from "../../../core/plugin_error.ts";
import { builtins } from "../../../plugins/mod.ts";
import { endAtSignals } from "../system/stop_signals.ts";
import { describePlugins } from "./describe_plugins.ts";
import { confined } from "./confine.ts";
import { inOwnProcess } from "./own_process.ts";
import { changeCheck, codeHash, readLock } from "./plugin_code.ts";
import { readSources } from "./plugin_source.ts";
import type { Plugins, PluginSource } from "./plugins.ts";

/**
 * Opens the plugins of `--plugin`, which may be none, and says which ones there are.
 *
 * @param afterwards see `inOwnProcess`
 * @throws {Error} that names the specifier, if a plugin cannot be loaded
 */
export async function openPlugins(
  specifiers: readonly string[],
  sandbox: boolean,
  say: (text: string) => void = () => {},
  afterwards?: (isDone: boolean) => Promise<void>,
): Promise<Plugins> {
  const sources = readSources(specifiers, sandbox);
  await inOwnProcess(specifiers, afterwards);
  return await openAndSay(sources, sandbox, say);
}

/**
 * Opens plugins for a command with an engine: always in a sandbox, because the environment may hold the engine's password, and in
 * this process, which keeps the permission to start the engine's client.
 *
 * @throws {Error} as `openPlugins`
 */
export function openBesideEngine(specifiers: readonly string[], say: (text: string) => void): Promise<Plugins> {
  return openAndSay(readSources(specifiers, true), true, say);
}

async function openAndSay(
  sources: readonly PluginSource[],
  sandbox: boolean,
  say: (text: string) => void,
): Promise<Plugins> {
  if (sources.length > 0) endAtSignals();
  const plugins = await openSources(sources, sandbox);
  for (const plugin of plugins.registry.plugins) {
    if (plugin.from !== undefined) say(`Plugin: ${nameOf(plugin)}${sandbox ? ", in a sandbox" : ""}`);
  }
  return plugins;
}

/**
 * Opens the plugins of modules, with the hash of its code for each. Afterwards the lock file knows what was loaded. Which files a
 * sandbox may read is found now: a worker of an engine may have been started with other code.
 */
export async function openSources(found: readonly PluginSource[], sandbox: boolean): Promise<Plugins> {
  const sources = sandbox ? found.map(confined) : found, checkFiles = changeCheck(sources);
  const described = sources.length > 0 ? await describePlugins(sources, sandbox) : [], codes = await hashesOf(sources);
  const codeOf = ({ from }: AnyPlugin) => codes.get(from ?? "")!;
  const loaded = described.map((plugin): AnyPlugin => {
    const others = described.filter((one) => one.kind !== plugin.kind || one.name !== plugin.name);
    const beside = Object.fromEntries(others.map((one) => [`${one.kind} ${one.name}`, codeOf(one)]));
    return { ...plugin, code: codeOf(plugin), ...others.length > 0 && { beside } };
  });
  return { registry: builtins.with(...loaded), sources, sandbox, checkFiles };
}

/** The hashes of the code of modules, by the specifiers that name them. */
export async function hashesOf(sources: readonly PluginSource[]): Promise<ReadonlyMap<string, string>> {
  const codes = new Map<string, string>(), lock = sources.length > 0 ? await readLock() : {};
  for (const source of sources) codes.set(source.specifier, await codeHash(source, lock));
  return codes;
}
