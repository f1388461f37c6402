/** What a build says at its end. */
import { join } from "node:path";
import { counted } from "../../../core/counted.ts";
import { filesBelow } from "../folders/files_below.ts";

/** Says what was built, how large it is, where it is, and what to do with it next. */
export async function builtText(what: string, folder: string, next: string): Promise<string> {
  const files = await filesBelow(folder);
  const sizes = await Promise.all(files.map(async (file) => (await Deno.stat(join(folder, file))).size));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  return `${what}: ${counted(files.length, "file")}, ${megabytes.toFixed(1)} MB, in ${folder}\nNext: ${next}`;
}
