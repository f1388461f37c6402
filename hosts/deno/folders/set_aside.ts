/** Finds files that lie among the files of a run but do not belong to it, and moves them out of the way. Removes nothing. */
import { dirname, join } from "node:path";
import { counted } from "../../../core/counted.ts";
import { entriesOf } from "../system/entries.ts";
import { foldersOf, infoOf, obstacle } from "./paths_below.ts";

/** The folder, below that of a run, that such files are moved to. */
export const ASIDE = "set-aside";

/** Whether a file below the folder of a run was set aside: it is not of the run, and harms none. */
export function isAside(name: string): boolean {
  return name.startsWith(`${ASIDE}/`);
}

/** Files that a sentence names, at most. */
const MAX_NAMED = 20;

/** Returns a sentence on which files were set aside. */
export function asideText(folder: string, aside: readonly string[]): string {
  const more = aside.length - MAX_NAMED, rest = more > 0 ? ` and ${counted(more, "other")}` : "";
  const names = aside.slice(0, MAX_NAMED).join(", ") + rest;
  return `Set aside, because they are no part of the run: ${names} (now below ${join(folder, ASIDE)})`;
}

/**
 * Files among those of a run, in some of its folders: a program that reads `data/*` would take them for images of the run.
 *
 * @param files the paths of the run's own files
 * @param folders the folders to look in
 */
export async function filesAmong(
  folder: string,
  files: ReadonlySet<string>,
  folders: readonly string[],
): Promise<string[]> {
  const own = new Set([...files].flatMap(foldersOf)), foreign: string[] = [];
  const search = async (path: string): Promise<void> => {
    // The content of a folder that is a link is not the folder's; the link itself is found by the files that should be below it.
    if (!infoOf(folder, path)?.isDirectory) return;
    for await (const { name, isDirectory } of entriesOf(join(folder, path))) {
      const below = `${path}/${name}`;
      if (name.startsWith(".") || files.has(below)) continue;
      if (isDirectory && own.has(below)) await search(below);
      else foreign.push(below);
    }
  };
  for (const path of folders) await search(path);
  return foreign.sort();
}

/**
 * Moves files of a folder to `set-aside/`, below which they keep their names; a number follows a name that is taken.
 *
 * @returns the paths of the files that were moved, below the folder
 */
export async function setAside(folder: string, names: readonly string[]): Promise<string[]> {
  const moved: string[] = [];
  for (const name of names) {
    // What lies behind a link is not in this folder.
    if (obstacle(folder, name) || !infoOf(folder, name)) continue;
    let target = `${ASIDE}/${name}`;
    for (let n = 1; infoOf(folder, target); n++) target = `${ASIDE}/${name}.${n}`;
    const link = obstacle(folder, target);
    if (link) throw new Error(`${join(folder, link)} is in the way of files to be set aside: expected a folder`);
    await Deno.mkdir(dirname(join(folder, target)), { recursive: true });
    await Deno.rename(join(folder, name), join(folder, target));
    moved.push(name);
  }
  return moved;
}
