/** Lists what lies in a folder, whoever put it there. */
import { join } from "node:path";
import { entriesOf } from "../system/entries.ts";

/** The paths of all files and links below a folder, with `/` between names, sorted. Links are not followed. */
export async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = [];
  const search = async (path: string): Promise<void> => {
    for await (const { name, isDirectory } of entriesOf(join(folder, path))) {
      const below = path === "" ? name : `${path}/${name}`;
      if (isDirectory) await search(below);
      else files.push(below);
    }
  };
  await search("");
  return files.sort();
}
