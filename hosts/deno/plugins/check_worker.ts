// The worker of `plugin check`: loads plugins, lists the checks of their suites, and runs one of them for each further task.
import {
  type CheckResult,
  type CheckSetUp,
  type CheckTask,
  type ListedSuite,
  resultOf,
  suiteFor,
} from "./check_plugins.ts";
import { loadPlugins } from "./load_plugins.ts";
import { answerTasks } from "../threads/answer_tasks.ts";

answerTasks(async ({ sources, excuses, module }: CheckSetUp) => {
  const suites = (await loadPlugins(sources)).map((plugin) => suiteFor(plugin, excuses, module));
  // deno-lint-ignore require-yield
  return function* (task: CheckTask | undefined): Generator<never, ListedSuite[] | CheckResult> {
    if (task) return resultOf(suites[task.plugin].plugin, suites[task.plugin].checks[task.check]);
    return suites.map(({ plugin: { kind, name, from }, checks }) => {
      return { kind, name, from, titles: checks.map(([title]) => title) };
    });
  };
});
