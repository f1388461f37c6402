/** Finds and sets aside files that lie among those of a run but do not belong to it. */
import { entryName, type PartEntry, rangeOf } from "../../../pipelines/shards/part.ts";
import type { Settings } from "../../../pipelines/shards/settings.ts";
import { filesAmong, setAside } from "../folders/set_aside.ts";
import { FOLDERS_OF_PARTS } from "../folders/folder_record.ts";
import type { FoundPart, InspectedFolder } from "./inspect_folder.ts";

/** The paths of all files of parts. */
export function filesOfParts(parts: readonly Pick<FoundPart, "name" | "entry">[]): Set<string> {
  return new Set(parts.flatMap(({ entry, name }) => [name, ...Object.keys(entry.files)]));
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
  return await setAside(folder, await filesAmong(folder, filesOfParts(parts), FOLDERS_OF_PARTS));
}
