/** The folder of a command's results. */
import { join } from "@std/path";
import { writeAtomically } from "../data/data_folder.ts";

/**
 * Makes the folder and checks that it can be written, so that hours of work are not lost at the end.
 *
 * @param folder the folder that errors name, if `path` lies in it
 * @throws {Error} if it cannot be written
 */
export async function openFolder(path: string, folder = path): Promise<void> {
  await writing(folder, Deno.mkdir(path, { recursive: true }));
  await writing(folder, Deno.makeTempFile({ dir: path }).then((file) => Deno.remove(file)));
}

/**
 * Writes files of a folder one after another, each as a whole or not at all. Names may contain subfolders.
 *
 * @throws {Error} if a file cannot be written
 */
export async function writeFiles(
  folder: string,
  files: Iterable<readonly [name: string, content: string | Uint8Array]>,
): Promise<void> {
  for (const [name, content] of files) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await writing(folder, writeAtomically(join(folder, name), bytes));
  }
}

/** Waits for work on a folder. If it fails, rejects with a sentence that names the folder. */
export function writing<T>(folder: string, work: Promise<T>): Promise<T> {
  return work.catch((cause) => {
    throw new Error(`Cannot write to --out ${folder}: ${cause.message}`, { cause });
  });
}
