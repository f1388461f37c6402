/** What is kept for several versions of the code: two checkouts, or one and a package, may use the same folder by turns. */
import { basename, dirname, join } from "node:path";

/** The versions of one name that are kept, the newest ones. */
export const MAX_VERSIONS = 3;

/**
 * Removes what old code left beside a folder `NAME-VERSION`, whose version has no hyphen: all but that and the ones of the same name
 * that were written to most recently.
 */
export async function removeOldVersions(kept: string): Promise<void> {
  const parent = dirname(kept), name = nameOf(basename(kept)), others: { path: string; time: number }[] = [];
  for await (const other of Deno.readDir(parent)) {
    if (nameOf(other.name) !== name || other.name === basename(kept)) continue;
    const path = join(parent, other.name), { mtime } = await Deno.stat(path);
    others.push({ path, time: mtime?.getTime() ?? 0 });
  }
  others.sort((a, b) => b.time - a.time);
  for (const { path } of others.slice(MAX_VERSIONS - 1)) await Deno.remove(path, { recursive: true });
}

function nameOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf("-"));
}
