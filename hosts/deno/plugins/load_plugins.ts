/** Third-party plugins: modules that are named on the command line. */
import { checkPlugin, isLikePlugin } from "../../../core/check_plugin.ts";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { nameOf, said } from "../../../core/plugin_error.ts";
import type { Registry } from "../../../core/registry.ts";
import { shown } from "../../../core/options.ts";
import { fromFileUrl, isAbsolute, resolve, toFileUrl } from "@std/path";
import { builtins } from "../../../plugins/mod.ts";
import { describePlugins } from "./describe_plugins.ts";
import { UsageError } from "../cli/flags.ts";
import { denied } from "../workers/posted_error.ts";

/** A module of plugins. */
export interface PluginSource {
  /** As it was named. */
  readonly specifier: string;
  /** What it is imported by. */
  readonly url: string;
}

/** All plugins of a run. */
export interface Plugins {
  /** Those that come along and those that were loaded. */
  readonly registry: Registry;
  /** Where the others came from; workers load them from there again. */
  readonly sources: readonly PluginSource[];
  /** Whether the modules are never imported by the main process, only by workers without permissions. */
  readonly sandbox: boolean;
}

/** Nothing but what comes along. */
export const BUILTIN: Plugins = { registry: builtins, sources: [], sandbox: false };

/** What the flags mean wherever there are plugins. */
export const PLUGIN_ABOUT = "a plugin of your own: ./file.ts, npm:name@1, https://...";
export const SANDBOX_ABOUT = "plugins run in workers that may do nothing but compute";

/** Opens the plugins of `--plugin`, which may be none, and says which there are. Throws a sentence that names the specifier. */
export async function openPlugins(
  specifiers: readonly string[],
  sandbox: boolean,
  say: (text: string) => void = () => {},
): Promise<Plugins> {
  const sources = specifiers.map(readSource);
  const loaded = await (sandbox && sources.length > 0 ? describePlugins(sources) : loadPlugins(sources));
  for (const plugin of loaded) say(`Plugin: ${nameOf(plugin)}${sandbox ? ", in a sandbox" : ""}`);
  return { registry: builtins.with(...loaded), sources, sandbox };
}

/**
 * Where a specifier leads. A path is resolved against the working directory; it begins with `.` or with the root. A folder's
 * plugin is taken where it can be told, see `inFolder`.
 */
export function readSource(specifier: string): PluginSource {
  if (/^\.{1,2}[/\\]/.test(specifier) || isAbsolute(specifier)) {
    const path = isFolder(specifier) ? inFolder(specifier) : specifier;
    return { specifier: path, url: toFileUrl(resolve(path)).href };
  }
  // Without encryption anybody on the way could put in code of their own; on this machine there is no way.
  const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/;
  if (/^(file|npm|jsr|https):/.test(specifier) || loopback.test(specifier)) return { specifier, url: specifier };
  const wanted = `a path such as ./${shown(specifier).slice(1, -1)}, or what begins with file:, npm:, jsr: or https:`;
  throw new UsageError(`Cannot use --plugin ${specifier}: expected ${wanted}`);
}

const FOLDER = "it is a folder: name the plugin's file in it";

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false; // loading it will tell why
  }
}

/** The one module of a folder that has its test beside it, as `plugin new` writes them. Throws where there is not just one. */
function inFolder(folder: string): string {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (cause) {
    throw new Error(`Cannot load the plugin ${folder}: ${(cause as Error).message}`, { cause });
  }
  const tests = names.filter((name) => name.endsWith(".test.ts"));
  const found = tests.map((test) => test.replace(/\.test\.ts$/, ".ts")).filter((name) => names.includes(name));
  if (found.length === 1) return `${folder.replace(/[/\\]+$/, "")}/${found[0]}`;
  throw new Error(`Cannot load the plugin ${folder}: ${FOLDER}`);
}

/** Imports modules and takes their plugins: see `pluginsOf`. Throws a sentence that names the specifier. */
export async function loadPlugins(sources: readonly PluginSource[]): Promise<AnyPlugin[]> {
  const loaded: AnyPlugin[] = [];
  for (const { specifier, url } of sources) {
    let module: Readonly<Record<string, unknown>>;
    try {
      module = await import(url);
    } catch (cause) {
      throw new Error(`Cannot load the plugin ${specifier}: ${reason(cause, url)}`, { cause });
    }
    loaded.push(...pluginsOf(module, specifier));
  }
  return loaded;
}

/**
 * The plugins of a module: its default export, which is one plugin or a list of them; where there is no default export, all
 * of its exports that are plugins.
 */
export function pluginsOf(module: Readonly<Record<string, unknown>>, specifier: string): AnyPlugin[] {
  const cannot = `Cannot use the plugin ${specifier}`, own = module.default;
  const found = own === undefined ? Object.values(module).filter(isLikePlugin) : Array.isArray(own) ? own : [own];
  if (found.length === 0) {
    const exported = Object.keys(module).join(", ") || "nothing";
    throw new Error(`${cannot}: expected a plugin as its default export, or exports that are plugins, got ${exported}`);
  }
  return found.map((plugin) => {
    checkPlugin(plugin, `${cannot}${isLikePlugin(plugin) && "name" in plugin ? `, "${plugin.name}"` : ""}`);
    return { ...plugin, from: specifier };
  });
}

/** Why a module cannot be imported, in one line: the runtime's own message goes over several, with excerpts and addresses. */
function reason(error: unknown, url: string): string {
  const lines = denied(said(error)).split("\n").map((line) => line.trim()), [first] = lines;
  const host = /asked for import access to "([^"]+?)(:443)?"/.exec(first)?.[1];
  if (host) return `Deno imports from ${host} only with --allow-import=${host}`;
  const place = lines.map((line) => /^at (\S+?):(\d+):(\d+)$/.exec(line)).find((found) => found);
  const at = place
    ? `, line ${place[2]}, column ${place[3]}${place[1] === url ? "" : ` of ${readable(place[1])}`}`
    : "";
  const missing = /^(?:Module not found|Cannot find module) "([^"]+)"/.exec(first)?.[1];
  if (missing === url) return "there is no such file";
  if (missing) return `it imports ${readable(missing)}, which is not there`;
  const syntax = /^SyntaxError: (.*)$/.exec(first)?.[1];
  if (syntax) return `syntax error: ${syntax.replace(/\.$/, "")}${at}`;
  const folder = /ERR_UNSUPPORTED_DIR_IMPORT\] Directory import '([^']+)'/.exec(first)?.[1];
  if (folder) return readable(folder) === readable(url) ? FOLDER : `it imports ${readable(folder)}, which is a folder`;
  const failed = /^Import '([^']+)' failed[.:]?/.exec(first)?.[1];
  if (failed) return `${readable(failed)} cannot be fetched: ${lines.at(-1)!.replace(/^\d+: /, "")}`;
  return readable(first);
}

/** Addresses of files as paths. */
function readable(text: string): string {
  return text.replace(/file:\/\/[^\s"']+/g, (url) => fromFileUrl(url));
}
