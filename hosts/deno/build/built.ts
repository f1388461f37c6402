/** What a build says at its end. */
import { join } from "node:path";
import { counted } from "../../../core/counted.ts";

/** Says what was built, how large it is, where it is, and what to do with it next. */
export async function builtText(what: string, folder: string, next: string): Promise<string> {
  const { files, bytes } = await sizeOf(folder);
  return `${what}: ${counted(files, "file")}, ${(bytes / 1e6).toFixed(1)} MB, in ${folder}\nNext: ${next}`;
}

/** Counts the files below a folder and their bytes. */
async function sizeOf(folder: string): Promise<{ files: number; bytes: number }> {
  let files = 0, bytes = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const below = isDirectory ? await sizeOf(path) : { files: 1, bytes: (await Deno.stat(path)).size };
    files += below.files;
    bytes += below.bytes;
  }
  return { files, bytes };
}
