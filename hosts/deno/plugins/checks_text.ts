/** The results of conformance checks in text. */
import { counted } from "../../../core/counted.ts";
import { nameOf } from "../../../core/plugin_error.ts";
import type { CheckedPlugin } from "./check_plugins.ts";

/** Whether there are plugins, and all passed all checks. */
export function isPassed(checked: readonly CheckedPlugin[]): boolean {
  return checked.length > 0 && checked.every(({ checks }) => checks.every(({ error }) => error === undefined));
}

/**
 * Writes the results as lines of text: one for each check, grouped by plugin, and how many passed. An error that a plugin throws in many
 * checks is written once, and the checks that fail by it, too, are counted.
 */
export function checksText(plugins: readonly CheckedPlugin[]): string[] {
  return plugins.flatMap((plugin, p) => {
    const passed = plugin.checks.filter(({ error }) => error === undefined).length;
    const others = new Map<string, number>(), lines: string[] = [];
    for (const { title, error, thrown } of plugin.checks) {
      if (error === undefined) lines.push(`  ok    ${title}`);
      else if (thrown !== undefined && others.has(thrown)) others.set(thrown, others.get(thrown)! + 1);
      else {
        lines.push(`  FAIL  ${title}`, `        ${error}`);
        if (thrown !== undefined) others.set(thrown, 0);
      }
    }
    for (const [thrown, count] of others) {
      if (count > 0) lines.push(`  FAIL  ${counted(count, "other check")}, by the same error: ${thrown}`);
    }
    const above = p > 0 ? [""] : [];
    return [...above, nameOf(plugin), ...lines, `${passed} of ${plugin.checks.length} checks passed`];
  });
}
