/** Moves files out of the way that lie among the files of a run but do not belong to it. Removes nothing. */
import { dirname, join } from "node:path";
import { infoOf, obstacle } from "./paths_below.ts";

/** The folder, below that of a run, that such files are moved to. */
export const ASIDE = "set-aside";

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
