// The worker of `describePlugins`: loads plugins and posts their descriptions.
import type { AnyPlugin, Option } from "../../../core/plugin.ts";
import { during } from "../../../core/plugin_error.ts";
import { optionValues } from "../../../core/options.ts";
import type { Description } from "../plugins/describe_plugins.ts";
import { loadPlugins } from "../plugins/load_plugins.ts";
import type { PluginSource } from "../plugins/plugins.ts";
import { posted } from "./posted_error.ts";
import type { Answer } from "./worker_pool.ts";

/** The worker's global scope: the types of workers cannot be loaded beside those of Deno. */
const scope = self as unknown as { onmessage: unknown; postMessage(answer: Answer<Description[]>): void };

scope.onmessage = async ({ data }: MessageEvent<readonly PluginSource[]>) => {
  try {
    scope.postMessage({ result: (await loadPlugins(data)).map(describe) });
  } catch (error) {
    scope.postMessage({ error: posted(error) });
  }
};

/** Takes a plugin's plain data only. */
function describe(plugin: AnyPlugin): Description {
  const { api, kind, name, about, from } = plugin;
  const options = Object.entries(plugin.options as Record<string, Option>).map(([name, option]) => {
    const { default: own, about, min, max, integer, choices } = option;
    return [name, { default: own, about, min, max, integer, choices: choices && [...choices] }];
  });
  const described = { api, kind, name, about, from, options: Object.fromEntries(options) };
  if (kind !== "metric") return described;
  const { separable, together } = during(plugin, "create", () => plugin.create(optionValues(plugin, {})));
  return { ...described, metric: { separable, together } };
}
