/** Finds what lies in a folder of results although its `run.json` does not name it. */
import { join } from "node:path";
import { RECORD } from "./folder_record.ts";

/**
 * The paths of all files and links below a folder that its record does not name, sorted. Links are not followed.
 *
 * @param recorded the paths that `run.json` names
 */
export async function unrecordedFiles(folder: string, recorded: ReadonlySet<string>): Promise<string[]> {
  const others: string[] = [];
  const search = async (path: string): Promise<void> => {
    for await (const { name, isDirectory } of Deno.readDir(join(folder, path))) {
      const below = path === "" ? name : `${path}/${name}`;
      if (isDirectory) await search(below);
      else if (below !== RECORD && !recorded.has(below)) others.push(below);
    }
  };
  await search("");
  return others.sort();
}
