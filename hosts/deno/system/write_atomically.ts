/** Writes files as a whole. */
import { dirname } from "node:path";

/**
 * Writes a file as a whole or not at all, so that nobody ever reads half of it. Creates its folder if needed.
 *
 * @param unfinished the path under which the file is written until it is whole, on the same disk; by default beside it
 * @param check throws if the file must not get its name; it is called when the file is whole
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  unfinished = `${path}.${crypto.randomUUID()}.tmp`,
  check: () => Promise<void> | void = () => {},
): Promise<void> {
  for (const one of [path, unfinished]) await Deno.mkdir(dirname(one), { recursive: true });
  try {
    await Deno.writeFile(unfinished, bytes);
    await check();
    await Deno.rename(unfinished, path);
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    throw error;
  }
}
