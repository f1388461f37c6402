/** The results of conformance checks in text. */
import { nameOf } from "../../../core/plugin_error.ts";
import type { CheckedPlugin } from "./check_plugins.ts";

/** Whether there are plugins, and all passed all checks. */
export function isPassed(checked: readonly CheckedPlugin[]): boolean {
  return checked.length > 0 && checked.every(({ checks }) => checks.every(({ error }) => error === undefined));
}

/**
 * Writes the results as text: a line for each check, grouped by plugin, and how many passed. An error that a plugin throws in many
 * checks is written once.
 */
export function checksText(plugins: readonly CheckedPlugin[]): string {
  return plugins.map((plugin) => {
    const passed = plugin.checks.filter(({ error }) => error === undefined).length;
    const seen = new Set<string>();
    const lines = plugin.checks.map(({ title, error, thrown }) => {
      if (error === undefined) return `  ok    ${title}`;
      if (thrown !== undefined && seen.has(thrown)) return `  FAIL  ${title} (by the same error)`;
      if (thrown !== undefined) seen.add(thrown);
      return `  FAIL  ${title}\n        ${error}`;
    });
    return [nameOf(plugin), ...lines, `${passed} of ${plugin.checks.length} checks passed`].join("\n");
  }).join("\n\n");
}
