/** Starts a worker: reads the environment, opens the plugins, and works until a signal comes. */
import { openBesideEngine } from "../plugins/open_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { dataFolder, environment } from "../system/environment.ts";
import { stopSignals } from "../system/stop_signals.ts";
import { readObjectStore } from "./object_store.ts";
import { work, type WorkOptions } from "./work.ts";

/** How a worker works. */
type WorkerOptions = Omit<WorkOptions, "plugins" | "signal" | "say" | "store" | "cache">;

/**
 * Makes parts until a signal comes, or until there are none for long enough.
 *
 * @param specifiers name third-party plugins
 * @returns how many images were made
 * @throws {Error} as `work`, and if a plugin cannot be loaded
 */
export async function startWorker(
  options: WorkerOptions,
  specifiers: readonly string[],
  say: (text: string) => void,
): Promise<number> {
  const isStored = options.packUrls.some((url) => url.startsWith("s3:")), plugins: PluginSource[] = [];
  const store = isStored ? readObjectStore((name) => Deno.env.get(name)) : undefined;
  // A wrong one is reported at once. Each alone: they may be versions of one plugin, for several runs.
  for (const one of specifiers) plugins.push(...(await openBesideEngine([one], say)).sources);
  using signals = stopSignals();
  signals.listen();
  const places = { store, cache: dataFolder(environment()) };
  return await work({ ...options, ...places, plugins, signal: signals.signal, say });
}
