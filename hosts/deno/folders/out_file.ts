/** A single file that a command writes. What Patchloom did not write is never replaced. */
import { basename, dirname, join } from "node:path";
import { openWorkFolder, workBeside } from "./folder_lock.ts";
import { writing } from "./out_folder.ts";
import { checkFilePlace, type Writer } from "./out_place.ts";
import { makeFolder, removeEmpty } from "./paths_below.ts";

/** A file that is being written. */
export interface OutFile extends AsyncDisposable {
  /** Writes the file as a whole. */
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Opens a file for writing: makes its folder and checks that it can be written. Changes nothing. If nothing is written until it is
 * disposed of, all is as it was before.
 *
 * @param isOurs whether the content of a file that is there was written by Patchloom
 * @throws {Error} if the file cannot be written, if it may not lie there (`checkFilePlace`), or if another one is there that may not be
 * replaced
 */
export async function openOutFile(
  path: string,
  isOurs: (bytes: Uint8Array) => boolean,
  force: boolean,
  writer: Writer,
): Promise<OutFile> {
  const title = `--out ${path}`, check = () => writing(title, checkFree(path, isOurs, force));
  await writing(title, checkFilePlace(path, writer));
  await check();
  const newFolders = await writing(title, makeFolder(dirname(path)));
  try {
    // Beside the file: a rename is atomic in one folder only. Two files of one folder have two working folders.
    const work = await writing(title, openWorkFolder(join(dirname(path), workBeside(basename(path)))));
    let isWritten = false;
    return {
      async write(bytes) {
        const part = await writing(title, work.part(bytes));
        await check();
        await writing(title, work.move(part, path));
        isWritten = true;
      },
      async [Symbol.asyncDispose]() {
        await work.close(false);
        if (!isWritten) await removeEmpty(newFolders);
      },
    };
  } catch (error) {
    await removeEmpty(newFolders);
    throw error;
  }
}

async function checkFree(path: string, isOurs: (bytes: Uint8Array) => boolean, force: boolean): Promise<void> {
  const info = await Deno.lstat(path).catch(() => undefined);
  if (!info) return;
  if (info.isDirectory) throw new Error("it is a folder: expected a file, or nothing");
  if (force || info.isFile && isOurs(await Deno.readFile(path))) return;
  throw new Error("it is there and was not written by Patchloom: choose another name, or add --force to replace it");
}
