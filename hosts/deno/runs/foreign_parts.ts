/** Finds and sets aside files that lie among those of a run but do not belong to it. */
import { join } from "node:path";
import { entryName, type PartEntry, rangeOf } from "../../../pipelines/shards/part.ts";
import type { Settings } from "../../../pipelines/shards/settings.ts";
import { foldersOf, infoOf } from "../folders/paths_below.ts";
import { ASIDE, setAside } from "../folders/set_aside.ts";
import { FOLDERS_OF_PARTS, type FoundPart, type InspectedFolder } from "./inspect_folder.ts";

/** Returns a sentence on which files were set aside. */
export function asideText(folder: string, aside: readonly string[]): string {
  return `Set aside, because they are no part of the run: ${aside.join(", ")} (now below ${join(folder, ASIDE)})`;
}

/** The paths of all files of parts. */
export function filesOfParts(parts: readonly Pick<FoundPart, "name" | "entry">[]): Set<string> {
  return new Set(parts.flatMap(({ entry, name }) => [name, ...Object.keys(entry.files)]));
}

/** Files beside those of the parts, in their folders: a program that reads `data/*` would take them for images of the run. */
export async function foreignFiles(folder: string, files: ReadonlySet<string>): Promise<string[]> {
  const folders = new Set([...files].flatMap(foldersOf)), foreign: string[] = [];
  const search = async (path: string): Promise<void> => {
    // The content of a folder that is a link is not the folder's; the link itself is found by the files that should be below it.
    if (!infoOf(folder, path)?.isDirectory) return;
    for await (const { name, isDirectory } of Deno.readDir(join(folder, path))) {
      const below = `${path}/${name}`;
      if (name.startsWith(".") || files.has(below)) continue;
      if (isDirectory && folders.has(below)) await search(below);
      else foreign.push(below);
    }
  };
  for (const path of FOLDERS_OF_PARTS) await search(path);
  return foreign.sort();
}

/**
 * Sets aside the entries of parts that do not belong to the run: its own parts can then be made. The files of images stay until all are made,
 * because a worker may be writing them.
 *
 * @returns the paths of what was moved
 */
export async function setForeignPartsAside({ folder, broken }: InspectedFolder): Promise<string[]> {
  return await setAside(folder, broken.flatMap(({ name, isForeign }) => isForeign ? [name] : []));
}

/**
 * Sets aside all files that lie among those of the parts of a run but belong to no part.
 *
 * @param entries all parts of the folder
 * @returns the paths of what was moved
 */
export async function setForeignFilesAside(
  folder: string,
  entries: readonly PartEntry[],
  { count }: Settings,
): Promise<string[]> {
  const parts = entries.map((entry) => ({ entry, name: entryName(rangeOf(entry), count) }));
  return await setAside(folder, await foreignFiles(folder, filesOfParts(parts)));
}
