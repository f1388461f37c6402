/** Keeps sandboxed plugins in their folders: a link there could lead to any file, and permissions are given by paths. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PluginSource } from "./plugins.ts";

/** The most files of a folder that are looked at: enough for a plugin with its packages, done in a second. */
const MAX_FILES = 20_000;

/** Where a module says that its source map is a file. A text that ends with the sign says nothing, as in `"sourceMappingURL=" + map`. */
const SOURCE_MAP = /sourceMappingURL=(?!data:application\/json[;,]|["'`]\s)/g;
/** The bytes that are looked at together. */
const PIECE = 2 ** 22;
/** The most bytes that can be a module: a text has at most 2^29 letters, each of three bytes. */
const MAX_BYTES = 3 * 2 ** 29;
/** The letters of a piece that the next one begins with: more than those of a name with the beginning of its address. */
const KEPT = 64;

/**
 * Whether a file names a source map that is a file. Deno reads that one, wherever it lies, without asking for a permission, when an error
 * of a module gets its stack: its text would reach the plugin, and which one is read could carry data out. Any file can be a module,
 * whatever its name. Which path Deno makes of an address is not asked here.
 */
function hasMap(path: string): boolean {
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(PIECE), ascii = new TextDecoder("latin1");
  for (let text = "", looked = 0;; looked += PIECE) {
    const read = looked < MAX_BYTES ? file.readSync(bytes) : null;
    // A module may be in UTF-16: without zeros, its letters are those of ASCII.
    text = text.slice(-KEPT) + ascii.decode(bytes.subarray(0, read ?? 0)).replaceAll("\0", "");
    const end = read === null ? text.length : text.length - KEPT;
    if (text.matchAll(SOURCE_MAP).some(({ index }) => index < end)) return true;
    if (read === null) return false;
  }
}

/**
 * Returns a plugin by the real paths of its file and its folder, by which a sandbox reads them.
 *
 * @throws {Error} if its folder has links that lead out of it or nowhere, pipes, sockets or devices, modules whose source maps are files, or
 * more than 20,000 files
 */
export function confined(source: PluginSource): PluginSource {
  const { specifier, url } = source;
  if (!url.startsWith("file:")) return source;
  const file = fileURLToPath(url), given = source.folder ?? dirname(file), folder = realPath(given);
  if (!folder) return source; // loading it reports that it is not there
  const refuse = (why: string): never => {
    throw new Error(
      `Cannot run the plugin ${specifier} in a sandbox: ${why}. Give it a folder of its own, without links and source maps`,
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
      if (isFile && hasMap(path)) refuse(`${path} has a source map that is a file of its own`);
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
