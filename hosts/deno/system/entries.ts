/** Lists folders. */
import { reason } from "./reason.ts";

/** What Deno writes for a part of a name that is not UTF-8: such a name stands for no file, or for another one. */
export const UNREADABLE = "\uFFFD";

/**
 * The entries of a folder, as `Deno.readDir` returns them.
 *
 * @throws {Error} if the folder cannot be read, or if a name is not UTF-8: no path leads to such a file, so that whoever looks at all
 * files of the folder would leave it out, or take another one twice
 */
export async function* entriesOf(folder: string): AsyncGenerator<Deno.DirEntry> {
  try {
    for await (const entry of Deno.readDir(folder)) yield named(entry);
  } catch (cause) {
    throw new Error(`Cannot read ${folder}: ${reason(cause)}`, { cause });
  }
}

/** As `entriesOf`, at once. */
export function* entriesOfSync(folder: string): Generator<Deno.DirEntry> {
  try {
    for (const entry of Deno.readDirSync(folder)) yield named(entry);
  } catch (cause) {
    throw new Error(`Cannot read ${folder}: ${reason(cause)}`, { cause });
  }
}

/** The names in a folder, whatever they are; none if it is not there, or cannot be read. */
export async function namesIn(folder: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
}

function named(entry: Deno.DirEntry): Deno.DirEntry {
  if (!entry.name.includes(UNREADABLE)) return entry;
  throw new Error(`expected names in UTF-8, got ${entry.name}; rename that file or folder`);
}
