/** Reads files of text that are never large: keys, certificates, signatures, records. */
import { reason } from "./reason.ts";

/** Bytes of a small file, at most: the certificates of all authorities have a fourth of it. */
const LARGEST = 2 ** 20;

/**
 * Reads the text of a regular file. A pipe or a device may never end.
 *
 * @param what begins the sentence of an error, after "Cannot"
 * @param largest the most bytes of it: by default 1 MB
 * @throws {Error} if it cannot be read, if it is no regular file, or if it is larger
 */
export async function readSmallFile(path: string, what = `read ${path}`, largest = LARGEST): Promise<string> {
  const fail = (why: string, cause?: unknown) => new Error(`Cannot ${what}: ${why}`, { cause });
  const info = await Deno.stat(path).catch((error) => {
    throw fail(reason(error), error);
  });
  if (!info.isFile) {
    throw fail(info.isDirectory ? "expected a file, got a folder" : "expected a file, got a pipe or device");
  }
  if (info.size > largest) throw fail(`expected at most ${largest} bytes, got ${info.size}`);
  return await Deno.readTextFile(path).catch((error) => {
    throw fail(reason(error), error);
  });
}
