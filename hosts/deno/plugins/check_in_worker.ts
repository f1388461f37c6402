/** Runs the checks of plugins in a worker, so that a plugin that exits or hangs does not stop the command. */
import { nameOf } from "../../../core/plugin_error.ts";
import { progress } from "../system/progress.ts";
import { endAtSignals } from "../system/stop_signals.ts";
import type { CheckedPlugin, CheckResult, CheckSetUp, CheckTask, Excuses, ListedSuite } from "./check_plugins.ts";
import type { PluginSource } from "./plugins.ts";
import { readModule } from "../system/kernels_file.ts";
import { startWorker } from "./plugin_worker.ts";

/** Milliseconds between two looks at the progress: a check can take longer than a person waits without a word. */
const LOOK = 1000;

/**
 * Loads plugins in a worker, with or without a sandbox, and runs the suites of their kinds. Shows on the standard error how much
 * is done, and the check that is being run.
 */
export async function checkInWorker(
  sources: readonly PluginSource[],
  excuses: Excuses,
  sandbox: boolean,
): Promise<CheckedPlugin[]> {
  endAtSignals();
  const setUp: CheckSetUp = { sources, excuses, module: (await readModule(false)).module };
  const module = new URL("./check_worker.ts", import.meta.url);
  const thread = startWorker<CheckTask | undefined, ListedSuite[] | CheckResult>(module, setUp, { sources, sandbox });
  const bar = progress("Checking", false), checked: CheckedPlugin[] = [];
  let done = 0, total = 1, current = `loading ${sources.map(({ specifier }) => specifier).join(", ")}`;
  const show = () => bar.update(done / total, current), looks = setInterval(show, LOOK);
  const run = (task?: CheckTask) => thread.run(task, () => {});
  try {
    const suites = await run() as ListedSuite[];
    total = suites.reduce((sum, { titles }) => sum + titles.length, 0);
    for (const [plugin, { titles, ...described }] of suites.entries()) {
      const checks: CheckResult[] = [];
      for (const [check, title] of titles.entries()) {
        current = `${nameOf(described)} ${title}`;
        show();
        checks.push(await run({ plugin, check }) as CheckResult);
        done++;
      }
      checked.push({ ...described, checks });
    }
  } finally {
    clearInterval(looks);
    bar.end();
    thread.terminate();
  }
  return checked;
}
