/**
 * Guards `deno.lock`, in which Deno notes the packages that plugins import. If one of them cannot be loaded, because the registry has its
 * name but not its files, Deno refuses to start any command with that lock file.
 */
import { fileURLToPath } from "node:url";
import { printMessage } from "../system/printable.ts";
import { writeAtomically } from "../system/write_atomically.ts";

const ROOT = new URL("../../../", import.meta.url);
/** A module that imports a package: before it runs, Deno loads all packages of the lock file. */
const IMPORTING = "datasets/formats/write_png.ts";

/**
 * Does some work that loads plugins. Afterwards the lock file is one with which commands start: if need be, that of before.
 *
 * @param root the folder of the program
 */
export async function guardingLock<T>(work: () => Promise<T>, root = ROOT): Promise<T> {
  const lock = new URL("deno.lock", root), before = await Deno.readTextFile(lock).catch(() => undefined);
  try {
    return await work();
  } finally {
    if (before !== undefined && !await isUsable(root, before)) {
      await writeAtomically(fileURLToPath(lock), new TextEncoder().encode(before));
      printMessage("deno.lock is again as it was: a package that a plugin imports cannot be loaded");
    }
  }
}

/** Whether a lock file is as it was, or its packages can be loaded. */
async function isUsable(root: URL, before: string): Promise<boolean> {
  const now = await Deno.readTextFile(new URL("deno.lock", root)).catch(() => undefined);
  if (now === before) return true;
  const fileOf = (name: string) => fileURLToPath(new URL(name, root));
  const args = ["run", "--quiet", "--no-prompt", "--config", fileOf("deno.json"), fileOf(IMPORTING)];
  const { success } = await new Deno.Command(Deno.execPath(), { args, stdin: "null", stdout: "null", stderr: "null" })
    .output();
  return success;
}
