/** Names what is kept on disk by the code that made it. */
import { sha256 } from "./hashes.ts";

const ROOT = new URL("../../../", import.meta.url);

/**
 * Hashes code, so that a change of it invalidates what it made: files, and the TypeScript files in folders and below them. Code that was
 * not loaded from files cannot be read, but its URL contains its version.
 *
 * @param paths from the root of the tree; those of folders end with a slash
 * @returns 16 hexadecimal digits
 * @throws {Error} without permission to read the code
 */
export async function codeHash(paths: readonly string[]): Promise<string> {
  const parts = ROOT.protocol === "file:"
    ? paths.flatMap((path) => path.endsWith("/") ? sources(new URL(path, ROOT)) : [new URL(path, ROOT)])
      .map(({ href }) => href).sort().map((href) => Deno.readTextFileSync(new URL(href)))
    : [ROOT.href];
  return (await sha256(new TextEncoder().encode(parts.join("\0")))).slice(0, 16);
}

function sources(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sources(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [new URL(name, folder)] : [];
  });
}
