/** Writes and checks plugins, in processes and workers of their own. */
import { join } from "node:path";
import type { Kinds } from "../../../core/plugin.ts";
import { shown } from "../../../core/shown.ts";
import { builtins } from "../../../plugins/mod.ts";
import { userPath } from "../system/called_from.ts";
import { commandLine } from "../system/command_line.ts";
import { print, printMessage } from "../system/printable.ts";
import { RequestError } from "../system/request_error.ts";
import type { CheckedPlugin, Excuses } from "./check_plugins.ts";
import { checksText, isPassed } from "./checks_text.ts";
import { checkInWorker } from "./check_in_worker.ts";
import { newPlugin, useOf } from "./new_plugin.ts";
import { inOwnProcess } from "./own_process.ts";
import { readSources } from "./plugin_source.ts";

/**
 * Writes a plugin from a template, checks it, and prints how it is used.
 *
 * @returns whether it passed
 * @throws {RequestError} if there is a built-in plugin of that name
 */
export async function startPlugin(kind: keyof Kinds, name: string, out: string): Promise<boolean> {
  if (builtins.plugins.some((plugin) => plugin.kind === kind && plugin.name === name)) {
    throw new RequestError(`Cannot name a plugin ${shown(name)}: there is already a ${kind} of that name`);
  }
  await inOwnProcess([]); // the new plugin is no third-party one
  const { folder, files } = await newPlugin(kind, name, userPath(out));
  const written = join(folder, files[0]), path = /^(\.{0,2}[/\\]|[A-Za-z]:)/.test(written) ? written : `./${written}`;
  printMessage(`Wrote ${files.map((file) => join(folder, file)).join(", ")}`);
  const checked = await checkInWorker(readSources([path], false), {}, false);
  if (!isPassed(checked)) print(...checksText(checked));
  print(`${checked[0].checks.length} checks, ${isPassed(checked) ? "all passed" : "not all passed"}. Use it:`);
  print(`  ${useOf(kind, name, path)}`);
  print("Change it, and check it again:", `  ${commandLine("deno task plugin", ["check", path])}`);
  return isPassed(checked);
}

/** Runs the conformance suites on the plugins that specifiers name. */
export async function checkPlugins(
  specifiers: readonly string[],
  excuses: Excuses,
  sandbox: boolean,
): Promise<CheckedPlugin[]> {
  const sources = readSources(specifiers, sandbox, "plugin check");
  await inOwnProcess(specifiers);
  return await checkInWorker(sources, excuses, sandbox);
}
