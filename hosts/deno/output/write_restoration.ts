/** Writes the folder of `restore`: sheet.png, images/, degraded/ and restore.json. */
import { join } from "@std/path";
import { type Restoration, restorationPictures } from "../../../pipelines/restoration/restoration_results.ts";
import { writeFiles, writing } from "./out_folder.ts";

/**
 * Writes the files in place of those of an earlier run. `record` is the content of restore.json.
 *
 * @throws {Error} if the folder cannot be written
 */
export async function writeRestoration(folder: string, restoration: Restoration, record: object): Promise<void> {
  const pictures = restorationPictures(restoration);
  await writing(folder, removeEarlier(folder));
  await writeFiles(folder, [...pictures, ["restore.json", JSON.stringify(record, null, 2) + "\n"]]);
}

/** Removes the pictures of an earlier run, which may be more than those of this one. */
async function removeEarlier(folder: string): Promise<void> {
  for (const subfolder of ["images", "degraded"]) {
    const path = join(folder, subfolder);
    const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    });
    for (const name of names) if (/^\d{4,}(-\d+)?\.png$/.test(name)) await Deno.remove(join(path, name));
  }
}
