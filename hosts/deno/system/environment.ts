/** What the environment says: where data is. */
import { isAbsolute, join } from "node:path";

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
