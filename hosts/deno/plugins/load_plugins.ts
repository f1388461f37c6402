/** Loads third-party plugins from the modules that the command line names. */
import { fileURLToPath } from "node:url";
import { checkPlugin, isLikePlugin } from "../../../core/check_plugin.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { messageOf, placeIn, said } from "../../../core/plugin_error.ts";
import { denied } from "../threads/posted_error.ts";
import { FOLDER } from "./folder_entry.ts";
import { sealImports } from "./import_seal.ts";
import type { PluginSource } from "./plugins.ts";
import { allowFiles } from "./sandbox_files.ts";

/**
 * Imports modules and takes their plugins: see `pluginsOf`.
 *
 * @throws {Error} that names the specifier, if a module cannot be imported or has no plugin
 */
export async function loadPlugins(sources: readonly PluginSource[]): Promise<AnyPlugin[]> {
  const loaded: AnyPlugin[] = [];
  allowFiles(sources);
  for (const { specifier, url } of sources) {
    let module: Readonly<Record<string, unknown>>;
    try {
      module = await import(url);
    } catch (cause) {
      const why = said(reason(cause, url)), line = / line \d+/.test(why) ? "" : placeIn({ from: specifier }, cause);
      throw new Error(`Cannot load the plugin ${specifier}: ${why}${line}`, { cause });
    }
    loaded.push(...pluginsOf(module, specifier));
  }
  sealImports();
  return loaded;
}

/**
 * Returns the plugins of a module: its default export, which is one plugin or a list of them; without a default export, all of
 * its exports that are plugins.
 */
export function pluginsOf(module: Readonly<Record<string, unknown>>, specifier: string): AnyPlugin[] {
  const cannot = `Cannot use the plugin ${specifier}`;
  let plugins: unknown[];
  try {
    const exported = module.default, all = Array.isArray(exported) ? [...exported] : [exported];
    plugins = (exported === undefined ? Object.values(module).filter(isLikePlugin) : all).map(copied);
  } catch (cause) {
    throw new Error(`${cannot}: ${said(cause)}`, { cause });
  }
  if (plugins.length === 0) {
    const exported = Object.keys(module).join(", ") || "nothing";
    throw new Error(`${cannot}: expected a plugin as its default export, or exports that are plugins, got ${exported}`);
  }
  return plugins.map((plugin) => {
    checkPlugin(plugin, `${cannot}${isLikePlugin(plugin) && "name" in plugin ? `, "${plugin.name}"` : ""}`);
    return { ...plugin, from: specifier };
  });
}

/** Copies the entries of a plugin. Its getters could throw, or return something else after the checks. */
function copied(plugin: unknown): unknown {
  if (!isLikePlugin(plugin)) return plugin;
  const { api, kind, name, about, options, tune, create } = plugin as Record<string, unknown>;
  const own = { api, kind, name, about, ...tune !== undefined && { tune: copiedTune(tune) }, create };
  if (typeof options !== "object" || options === null || Array.isArray(options)) return { ...own, options };
  const entries = Object.entries(options).map(([option, entries]) => {
    if (typeof entries !== "object" || entries === null) return [option, entries];
    const { choices } = entries;
    return [option, { ...entries, ...Array.isArray(choices) ? { choices: [...choices] } : {} }];
  });
  return { ...own, options: Object.fromEntries(entries) };
}

/** Copies which options are tuned. */
function copiedTune(tune: unknown): unknown {
  if (!Array.isArray(tune)) return tune;
  return tune.map((one) => {
    if (typeof one !== "object" || one === null) return one;
    const { option, low, high, layers } = one;
    return { option, low, high, ...layers !== undefined && { layers: Array.isArray(layers) ? [...layers] : layers } };
  });
}

/** Says in one line why a module cannot be imported. The runtime's own message has several lines, with excerpts and addresses. */
function reason(error: unknown, url: string): string {
  const lines = denied(messageOf(error)).split("\n").map((line) => line.trim()), [first] = lines;
  const host = /asked for import access to "([^"]+?)(:443)?"/.exec(first)?.[1];
  if (host) {
    return `Deno imports from ${host} only where the task is run by deno run --allow-import=${host} (docs/plugins.md, How plugins are found)`;
  }
  const place = lines.map((line) => /^at (\S+?):(\d+):(\d+)$/.exec(line)).find((match) => match);
  const at = place
    ? `, line ${place[2]}, column ${place[3]}${place[1] === url ? "" : ` of ${readable(place[1])}`}`
    : "";
  const missing = /^(?:Module not found|Cannot find module) "([^"]+)"/.exec(first)?.[1];
  if (missing === url) return `there is no file ${readable(url)}`;
  if (missing) return `it imports ${readable(missing)}, which is not there`;
  const syntax = /^SyntaxError: (.*)$/.exec(first)?.[1];
  if (syntax) return `syntax error: ${syntax.replace(/\.$/, "")}${at}`;
  const folder = /ERR_UNSUPPORTED_DIR_IMPORT\] Directory import '([^']+)'/.exec(first)?.[1];
  if (folder) return readable(folder) === readable(url) ? FOLDER : `it imports ${readable(folder)}, which is a folder`;
  const failed = /^Import '([^']+)' failed[.:]?/.exec(first)?.[1];
  if (failed) return `${readable(failed)} cannot be fetched: ${lines.at(-1)!.replace(/^\d+: /, "")}`;
  return readable(first);
}

/** Replaces addresses of files by paths. */
function readable(text: string): string {
  return text.replace(/file:\/\/[^\s"']+/g, (url) => fileURLToPath(url));
}
