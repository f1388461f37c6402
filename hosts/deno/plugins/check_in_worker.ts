/** Runs the checks of plugins in a worker, so that a plugin that exits or hangs does not stop the command. */
import { endAtSignals } from "../system/stop_signals.ts";
import type { CheckedPlugin, CheckTask, Excuses } from "./check_plugins.ts";
import type { PluginSource } from "./plugins.ts";
import { readModule } from "../system/kernels_file.ts";
import { startWorker } from "./plugin_worker.ts";
import { runPool } from "../threads/worker_pool.ts";

/** Loads plugins in a worker, with or without a sandbox, and runs the suites of their kinds. */
export async function checkInWorker(
  sources: readonly PluginSource[],
  excuses: Excuses,
  sandbox: boolean,
): Promise<CheckedPlugin[]> {
  endAtSignals();
  const setUp: CheckTask = { sources, excuses, module: (await readModule(false)).module },
    checked: CheckedPlugin[] = [];
  const module = new URL("./check_worker.ts", import.meta.url);
  const start = () => startWorker<void, CheckedPlugin[]>(module, setUp, { sources, sandbox });
  for await (const event of runPool({ threads: 1, tasks: [undefined], start })) {
    if (event.type === "result") checked.push(...event.result);
  }
  return checked;
}
