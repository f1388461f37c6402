/** Keeps sandboxed plugins in their folders: a link there could lead to any file, and permissions are given by paths. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PluginSource } from "./plugins.ts";

/** The most files of a folder that are looked at: enough for a plugin with its packages, done in a second. */
const MAX_FILES = 20_000;

/** Files that Deno takes for modules. */
const MODULE = /\.[cm]?[jt]sx?$/;
/** Where a module says that its source map is. Any line that looks so counts, also in a text. */
const SOURCE_MAP = /[#@]\s*sourceMappingURL\s*=\s*([^\s'"*]*)/g;

/**
 * Whether a module in a folder names a source map outside of it. Deno reads a source map, wherever it lies, without asking for a
 * permission, when an error of the module gets its stack: its text would reach the plugin, and which one is read could carry data out.
 */
function hasMapOutside(folder: string, path: string): boolean {
  const text = Deno.readTextFileSync(path),
    module = pathToFileURL(path).href,
    inside = pathToFileURL(join(folder, "/")).href;
  return text.matchAll(SOURCE_MAP).some(([, map]) => {
    return !/^data:/i.test(map) && !URL.parse(map, module)?.href.startsWith(inside);
  });
}

/**
 * Returns a plugin by the real paths of its file and its folder, by which a sandbox reads them.
 *
 * @throws {Error} if its folder has links that lead out of it or nowhere, modules whose source maps are elsewhere, or more than 20,000
 * files
 */
export function confined(source: PluginSource): PluginSource {
  const { specifier, url } = source;
  if (!url.startsWith("file:")) return source;
  const file = fileURLToPath(url), given = source.folder ?? dirname(file), folder = realPath(given);
  if (!folder) return source; // loading it reports that it is not there
  const refuse = (why: string): never => {
    throw new Error(
      `Cannot run the plugin ${specifier} in a sandbox: ${why}. Give it a folder of its own, without links`,
    );
  };
  let count = 0;
  const look = (inside: string) => {
    for (const { name, isFile, isSymlink, isDirectory } of Deno.readDirSync(inside)) {
      const path = join(inside, name);
      if (++count > MAX_FILES) refuse(`its folder ${folder} has more than ${MAX_FILES} files`);
      if (isDirectory) look(path);
      if (!isFile && !isDirectory && !isSymlink) {
        refuse(`${path} is a pipe, a socket or a device, which others can watch`);
      }
      if (isFile && MODULE.test(name) && hasMapOutside(folder, path)) {
        refuse(`${path} has a source map outside of its folder`);
      }
      if (!isSymlink) continue;
      const real = realPath(path);
      if (!real) refuse(`${path} is a link that leads nowhere`);
      const inner = relative(folder, real!);
      if (inner.startsWith("..") || isAbsolute(inner)) refuse(`${path} is a link to ${real}, outside of its folder`);
    }
  };
  try {
    look(folder);
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
      refuse(`its folder ${folder} cannot be read as a whole`);
    }
    throw error;
  }
  return { specifier, url: pathToFileURL(join(folder, relative(given, file))).href, folder };
}

/** Where a path leads; undefined if it leads nowhere, or to what may not be read. */
function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
