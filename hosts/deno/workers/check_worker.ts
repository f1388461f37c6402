// The worker of `plugin check`: loads plugins and runs their suites.
import { checkConformance, type CheckedPlugin, type CheckTask } from "../plugins/check_plugins.ts";
import { loadPlugins } from "../plugins/load_plugins.ts";
import { posted } from "./posted_error.ts";
import type { Answer } from "./worker_pool.ts";

/** The worker's global scope: the types of workers cannot be loaded beside those of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(answer: Answer<CheckedPlugin[]>): void };

scope.onmessage = async ({ data: { sources, excuses, module } }: MessageEvent<CheckTask>) => {
  try {
    const checked: CheckedPlugin[] = [];
    for (const plugin of await loadPlugins(sources)) checked.push(await checkConformance(plugin, excuses, module));
    scope.postMessage({ result: checked });
  } catch (error) {
    scope.postMessage({ error: posted(error) });
  }
};
