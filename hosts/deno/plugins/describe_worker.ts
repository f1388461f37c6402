// The worker of `describePlugins`: loads plugins and posts their descriptions.
import { createFrom } from "../../../core/create_plugin.ts";
import { optionValues } from "../../../core/options.ts";
import type { AnyPlugin, Option, Plugin } from "../../../core/plugin.ts";
import type { Description } from "./describe_plugins.ts";
import { loadPlugins } from "./load_plugins.ts";
import type { PluginSource } from "./plugins.ts";
import { answerTasks } from "../threads/answer_tasks.ts";

answerTasks(async (sources: readonly PluginSource[]) => {
  const described = (await loadPlugins(sources)).map(describe);
  // deno-lint-ignore require-yield
  return function* () {
    return described;
  };
});

/** Takes a plugin's plain data only. */
function describe(plugin: AnyPlugin): Description {
  const { api, kind, name, about, from } = plugin;
  const options = Object.entries(plugin.options as Record<string, Option>).map(([name, option]) => {
    const { default: usual, about, min, max, integer, choices, words, off } = option;
    return [name, {
      default: usual,
      about,
      min,
      max,
      integer,
      choices: choices && [...choices],
      words: words && { ...words },
      off,
    }];
  });
  const tune = plugin.tune?.map(({ option, low, high, layers }) => {
    return { option, low, high, layers: layers && [...layers] as const };
  });
  const described = { tune, api, kind, name, about, from, options: Object.fromEntries(options) };
  if (kind === "context" || kind === "denoiser") return described;
  if (kind === "prior") return { ...described, parts: hasParts(plugin as Plugin<"prior">) };
  const { separable, together } = createFrom(plugin as Plugin<"metric">, optionValues(plugin, {}));
  return { ...described, metric: { separable: separable === true, together: together === true } };
}

/** Whether a prior is fitted in parts. If it cannot be created, the run that uses it reports why. */
function hasParts(plugin: Plugin<"prior">): boolean {
  try {
    return createFrom(plugin, optionValues(plugin as AnyPlugin, {})).parts !== undefined;
  } catch {
    return false;
  }
}
