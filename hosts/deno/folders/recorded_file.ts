/** Reads files of results whose SHA-256 is recorded. */
import { join } from "node:path";
import { sha256 } from "../system/hashes.ts";

/**
 * Reads a file as it was when it was recorded: another program may have changed it since the folder was checked, and what is made of it
 * would be recorded anew.
 *
 * @param cannot begins the sentence of the error
 * @param sums the recorded SHA-256 of files by their names
 * @throws {Error} if it is missing, or is not what was recorded
 */
export async function readRecorded(
  cannot: string,
  folder: string,
  name: string,
  sums: Readonly<Record<string, string | null>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Deno.readFile(join(folder, name)).catch(() => undefined);
  if (bytes && await sha256(bytes) === sums[name]) return bytes;
  throw new Error(`${cannot}: ${name} is missing or was changed since it was written`);
}
