/** Keeps sandboxed plugins in their folders: a link there could lead to any file, and permissions are given by paths. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PluginSource } from "./plugins.ts";

/** The most files of a folder that are looked at: enough for a plugin with its packages, done in a second. */
const MAX_FILES = 20_000;

/**
 * Returns a plugin by the real paths of its file and its folder, by which a sandbox reads them.
 *
 * @throws {Error} if its folder has links that lead out of it or nowhere, or more than 20,000 files
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
    for (const { name, isSymlink, isDirectory } of Deno.readDirSync(inside)) {
      const path = join(inside, name);
      if (++count > MAX_FILES) refuse(`its folder ${folder} has more than ${MAX_FILES} files`);
      if (isDirectory) look(path);
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
