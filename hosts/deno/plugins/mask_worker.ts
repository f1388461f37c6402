// The worker of `learnMasks`: loads plugins and posts the masks of their contexts.
import { contextOf } from "../../../core/model.ts";
import type { AnyPlugin, Plugin } from "../../../core/plugin.ts";
import type { ContextPixel } from "../../../core/types.ts";
import { answerTasks } from "../threads/answer_tasks.ts";
import type { MaskTask } from "./describe_plugins.ts";
import { loadPlugins } from "./load_plugins.ts";
import type { PluginSource } from "./plugins.ts";

answerTasks(async (sources: readonly PluginSource[]) => {
  const plugins = await loadPlugins(sources);
  // deno-lint-ignore require-yield
  return function* ({ name, values, side, size }: MaskTask): Generator<never, ContextPixel[]> {
    const isAsked = (plugin: AnyPlugin) => plugin.kind === "context" && plugin.name === name;
    const plugin = plugins.find(isAsked) as Plugin<"context">, contexts = [{ plugin, values }];
    const pixels = contextOf({ height: 2 * size, width: 2 * size, patch: 2 * side, contexts });
    // What else a pixel of a plugin has may be no data.
    return pixels.map(({ dx, dy, weight, mirrored = false }) => ({ dx, dy, weight, mirrored: Boolean(mirrored) }));
  };
});
