/** Reads what `--plugin` names: a path, or an address. */
import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { shown } from "../../../core/shown.ts";
import { userPath } from "../system/called_from.ts";
import { RequestError } from "../system/request_error.ts";
import { confined } from "./confine.ts";
import { folderEntry } from "./folder_entry.ts";
import type { PluginSource } from "./plugins.ts";

/**
 * Finds the modules that specifiers name. For a sandbox, they are found where links in their paths lead.
 *
 * @param before the words before a specifier, as errors quote them
 * @throws {RequestError} if one is neither a path nor an address
 * @throws {Error} if a folder that a sandbox may read has links that lead out
 */
export function readSources(specifiers: readonly string[], sandbox: boolean, before = "--plugin"): PluginSource[] {
  return specifiers.map((one) => readSource(one, before)).map((source) => sandbox ? confined(source) : source);
}

/**
 * Finds the module that a specifier names. A path begins with `.` or with the root, and is resolved against the folder that the
 * user is in, as far as that is known: see `userPath`.
 * In a folder it finds the plugin's file: see `folderEntry`.
 */
export function readSource(given: string, before = "--plugin"): PluginSource {
  const specifier = /^\.{1,2}[/\\]/.test(given) ? userPath(given) : given;
  if (/^\.{1,2}[/\\]/.test(specifier) || isAbsolute(specifier)) {
    if (!isFolder(specifier, before)) return { specifier, url: pathToFileURL(resolve(specifier)).href };
    const path = folderEntry(specifier);
    return { specifier: path, url: pathToFileURL(resolve(path)).href, folder: resolve(specifier) };
  }
  // Without encryption, others on the network could replace the code. Requests to this machine use no network.
  const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/;
  if (/^(file|npm|jsr|https):/.test(specifier) || loopback.test(specifier)) return { specifier, url: specifier };
  const expected = `a path such as ./${shown(specifier).slice(1, -1)}, or what begins with file:, npm:, jsr: or https:`;
  throw new RequestError(`Cannot use ${before} ${specifier}: expected ${expected}`);
}

/** @throws {RequestError} if the path is a device or a pipe, which would be read for ever */
function isFolder(path: string, before: string): boolean {
  let info;
  try {
    info = Deno.statSync(path);
  } catch {
    return false; // loading it reports why
  }
  if (info.isFile || info.isDirectory) return info.isDirectory;
  throw new RequestError(`Cannot use ${before} ${path}: expected a file or a folder, got a device or a pipe`);
}
