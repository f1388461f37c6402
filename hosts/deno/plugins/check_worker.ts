// The worker of `plugin check`: loads plugins and runs their suites.
import { checkConformance, type CheckedPlugin, type CheckTask } from "./check_plugins.ts";
import { loadPlugins } from "./load_plugins.ts";
import { answerTasks } from "../threads/answer_tasks.ts";

answerTasks(async ({ sources, excuses, module }: CheckTask) => {
  const checked: CheckedPlugin[] = [];
  for (const plugin of await loadPlugins(sources)) checked.push(await checkConformance(plugin, excuses, module));
  // deno-lint-ignore require-yield
  return function* () {
    return checked;
  };
});
