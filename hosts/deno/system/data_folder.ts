/** The folder of the user's data, and how files are written there. */
import { dirname, isAbsolute, join } from "@std/path";

/** The environment variables that locate data. */
export type Env = Readonly<Partial<Record<typeof VARIABLES[number], string>>>;

const VARIABLES = ["PATCHLOOM_DATA", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"] as const;

/** The environment of this process; a variable that may not be read counts as unset. */
export function environment(): Env {
  return Object.fromEntries(VARIABLES.map((name) => {
    try {
      return [name, Deno.env.get(name)];
    } catch {
      return [name, undefined];
    }
  }));
}

/** The folder for fetched, imported and drawn data; undefined if the user has no home. It need not exist yet. */
export function dataFolder(env: Env): string | undefined {
  const { XDG_CACHE_HOME: cache, HOME: home, LOCALAPPDATA: local } = env;
  if (cache && isAbsolute(cache)) return join(cache, "patchloom"); // the XDG specification ignores relative paths
  if (Deno.build.os === "windows" && local) return join(local, "patchloom");
  return home ? join(home, ".cache", "patchloom") : undefined;
}

/**
 * The path of a folder in the user's data folder.
 *
 * @param remedy says in the error what to do
 * @throws {Error} if the user has no data folder
 */
export function inDataFolder(name: string, remedy: string, env: Env = environment()): string {
  const folder = dataFolder(env);
  if (!folder) throw new Error(`Cannot choose a data folder without a home folder: ${remedy}`);
  return join(folder, name);
}

/** What has more bytes should be in memory only once. A million digits have 784 MB. */
export const LARGE = 2 ** 26;

/** The SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  if (bytes.length > LARGE) return await sha256OfPieces(bytes, LARGE);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toHex();
}

/** Does the same without a copy of the bytes, which Web Crypto makes; `step` bytes at a time, so that signals are handled. */
export async function sha256OfPieces(bytes: Uint8Array, step: number): Promise<string> {
  const { createHash } = await import("node:crypto"), hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += step) {
    hash.update(bytes.subarray(at, at + step));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return hash.digest("hex");
}

/**
 * Writes a file as a whole or not at all, so that nobody ever reads half of it. Creates its folder if needed.
 *
 * @param unfinished the path of a new file that it is until it is whole, on the same disk; by default beside it
 */
export async function writeAtomically(
  path: string,
  bytes: Uint8Array,
  unfinished = `${path}.${crypto.randomUUID()}.tmp`,
): Promise<void> {
  for (const one of [path, unfinished]) await Deno.mkdir(dirname(one), { recursive: true });
  try {
    await Deno.writeFile(unfinished, bytes);
    await Deno.rename(unfinished, path);
  } catch (error) {
    await Deno.remove(unfinished).catch(() => {});
    throw error;
  }
}
