/** Reads files and folders; each error is one sentence that names the path. */
import { join } from "@std/path";
import type { Size } from "../../../core/shape.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";

/** The images of a folder or file. There are test images only if it has a test split. */
export interface ReadImages {
  readonly train: LabelledImages;
  readonly test?: LabelledImages;
  readonly files: DataSet["files"];
  /** The file of each training image, where each has one. */
  readonly names?: readonly string[];
}

/** Says whether a path is a file or a folder. @throws {Error} if there is none */
export async function stat(path: string): Promise<Deno.FileInfo> {
  return await Deno.stat(path).catch((cause) => {
    throw cause instanceof Deno.errors.NotFound ? new Error(`There is no ${path}`, { cause }) : cannotRead(path, cause);
  });
}

/** Lists the files and folders in a folder, sorted by code unit, so that every machine has the same order. */
export async function list(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [], folders: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const kind = entry.isSymlink ? await Deno.stat(join(folder, entry.name)) : entry;
      if (kind.isFile) files.push(entry.name);
      if (kind.isDirectory) folders.push(entry.name);
    }
  } catch (cause) {
    throw cannotRead(folder, cause);
  }
  return { files: files.sort(), folders: folders.sort() };
}

/** Reads the bytes of a file. */
export async function readFile(path: string): Promise<Uint8Array> {
  return await Deno.readFile(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
}

/** Makes the error of a path that cannot be read: a sentence with the runtime's message. The runtime's error is its cause. */
export function cannotRead(path: string, cause: unknown): Error {
  return new Error(`Cannot read ${path}: ${(cause as Error).message}`, { cause });
}

/** Returns a check that remembers the size of the first image, and throws for an image of another size. */
export function sizeCheck(): (path: string, size: Size) => void {
  let first: { path: string; size: string } | undefined;
  return (path, { height, width }) => {
    const size = `${width}x${height}`;
    first ??= { path, size };
    if (size === first.size) return;
    throw new Error(`${path} is ${size} pixels: expected ${first.size}, the size of ${first.path}`);
  };
}
