/** Which files modules in a sandbox may load: those that the sum of its plugins' code covers, and those of the packages that it names. */
import { decode, exec, indexOf, slice, startsWith } from "./taken.ts";
import type { PluginSource } from "./plugins.ts";

type Names = Record<string, boolean>;

const IS_WINDOWS = Deno.build.os === "windows";

/** The folder of a version of a package in Deno's cache: `npm/REGISTRY/NAME/1.2.3`. */
const PACKAGE = /^(.*?\/npm\/[^/]+\/(?:[^/]+\/)+?\d+\.\d+\.\d+[^/]*)\//;
/** The folders of packages that may be loaded: those that are named, and those that these depend on. */
const reached = named([]);
let allowed: { readonly files: Names; readonly packages?: Names } | undefined;

/** Says once what may be loaded from now on: before, the program loads itself. */
export function allowFiles(sources: readonly PluginSource[]): void {
  const files = sources.flatMap(({ files }) => files ?? []).map(asInAddress);
  // The texts of other modules from the net are there.
  const areKnown = sources.every(({ url }) => /^(file|npm):/.test(url));
  const packages = sources.flatMap(({ url, packages }) => packages ?? [url]);
  allowed ??= { files: named(files), packages: areKnown ? named(packages) : undefined };
}

function named(names: readonly string[]): Names {
  return Object.assign(Object.create(null), Object.fromEntries(names.map((name) => [name, true])));
}

/**
 * Throws if a module may not load a file. A package is reached by a name that a text of the plugins has; by such a package's own bare
 * names, which Deno resolves to what it depends on; and by any path once it is reached.
 *
 * @param url the address that Deno made of the specifier, and `parent`, that of the module which imports it
 */
export function checkFile(specifier: string, url: string, parent: string | undefined): void {
  if (allowed === undefined) return;
  const path = pathOf(url), folder = packageOf(path);
  if (allowed.files[path] === true || reached[folder] === true) return;
  // A path would need a permission, which the files of packages do not.
  if (folder === "") throw new Error(`Requires read access to "${path || url}", run again with the --allow-read flag`);
  if (!climbs(specifier) && (isNamed(specifier) || isBare(specifier) && reached[packageOf(pathOf(parent ?? ""))])) {
    reached[folder] = true;
  } else {
    throw new Error(unnamed(specifier));
  }
}

/** Whether a path is that of a file of a package that may be loaded. */
export function isReached(path: string): boolean {
  return allowed === undefined || reached[packageOf(asInAddress(path))] === true;
}

/** Whether a text of the plugins names a package. */
export function isNamed(specifier: string): boolean {
  return allowed?.packages === undefined || allowed.packages[specifier] === true;
}

/** Why a package is not loaded: which one a plugin reads would change its results, but not the sum of its code. */
export function unnamed(specifier: string): string {
  return `Cannot import ${specifier} in a sandbox: expected a package that a text of the plugin names as npm:NAME`;
}

/** Whether a specifier is the name of a package, perhaps with a path in it. */
function isBare(specifier: string): boolean {
  return !startsWith(specifier, ".") && !startsWith(specifier, "/") && indexOf(specifier, ":") < 0;
}

/** Whether a specifier could lead out of the package that it names. */
function climbs(specifier: string): boolean {
  return indexOf(specifier, "..") >= 0 || indexOf(specifier, "%") >= 0 || indexOf(specifier, "\\") >= 0;
}

/** The folder of the package that a file is in; nothing if it is in none, or if the path leads out of it again. */
function packageOf(path: string): string {
  return indexOf(path, "/..") >= 0 || indexOf(path, "\\..") >= 0 ? "" : exec(PACKAGE, path)?.[1] ?? "";
}

/** The path of the file that an address names; nothing if it names none. */
function pathOf(url: string): string {
  if (!startsWith(url, "file:///")) return "";
  const query = indexOf(url, "?"), fragment = indexOf(url, "#");
  const ends = query >= 0 && (fragment < 0 || query < fragment) ? query : fragment;
  return decode(slice(url, "file://".length, ends < 0 ? url.length : ends));
}

/** The same path as an address has it. */
function asInAddress(path: string): string {
  if (!IS_WINDOWS) return path;
  let forward = "/";
  for (let n = 0; n < path.length; n++) forward += path[n] === "\\" ? "/" : path[n];
  return forward;
}
