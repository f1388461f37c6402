/** Keeps sandboxed plugins to the files that the sum of their code covers, and these in their folders. */
import { dirname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { coveredBy, MAX_BYTES } from "./plugin_code.ts";
import type { PluginSource } from "./plugins.ts";

/** Where a module says that its source map is a file. A text that ends with the sign says nothing, as in `"sourceMappingURL=" + map`. */
const SOURCE_MAP = /sourceMappingURL=(?!data:application\/json[;,]|["'`]\s)/g;
/** The bytes that are looked at together. */
const PIECE = 2 ** 22;
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
  for (let text = "";;) {
    const read = file.readSync(bytes);
    // A module may be in UTF-16: without zeros, its letters are those of ASCII.
    text = text.slice(-KEPT) + ascii.decode(bytes.subarray(0, read ?? 0)).replaceAll("\0", "");
    const end = read === null ? text.length : text.length - KEPT;
    if (text.matchAll(SOURCE_MAP).some(({ index }) => index < end)) return true;
    if (read === null) return false;
  }
}

/**
 * Returns a plugin by the real paths of its folder and its files, by which a sandbox reads them: those that the sum of its code covers.
 * Which file a plugin reads by a name that no text of it has would change its results, but not the sum.
 *
 * @throws {Error} if one of them is a link that leads out of the folder or nowhere, a pipe, a socket, a device, or a module whose source
 * map is a file, or if they have more than 256 MiB
 */
export function confined(source: PluginSource): PluginSource {
  const { specifier, url } = source;
  if (!url.startsWith("file:")) return source;
  const given = source.folder ?? dirname(fileURLToPath(url)), folder = realPath(given);
  if (!folder) return source; // loading it reports that it is not there
  const entry = join(folder, relative(given, fileURLToPath(url)));
  const isInside = (path: string) => !relative(folder, path).startsWith("..") && !isAbsolute(relative(folder, path));
  const covered = coveredBy(entry), files = covered.files.filter(isInside);
  let bytes = 0;
  for (const path of files) {
    const real = realPath(path), size = Deno.statSync(path).size;
    const why = real === undefined || !isInside(real)
      ? `${path} is a link to ${real ?? "nothing"}, outside of its folder`
      : (bytes += size) > MAX_BYTES
      ? `with ${path} of ${size} bytes its code has more than ${MAX_BYTES} bytes`
      : hasMap(path) && `${path} has a source map that is a file of its own`;
    if (!why) continue;
    throw new Error(
      `Cannot run the plugin ${specifier} in a sandbox: ${why}. Use no links out of its folder and no source maps`,
    );
  }
  return { specifier, url: pathToFileURL(entry).href, folder, files, packages: covered.imported };
}

/** Where a path leads; undefined if it leads nowhere, or to what may not be read. */
function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
