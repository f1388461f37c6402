/** Where the user called a command. `deno task` changes into the folder of deno.json, and names the user's folder in INIT_CWD. */
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(fileURLToPath(new URL("../../../", import.meta.url)));

/**
 * A path as the user means it: relative to the folder where `deno task` was called. It is left as it is where that is the working
 * directory, or where this process may not read INIT_CWD.
 */
export function userPath(path: string): string {
  const folder = calledFrom();
  return folder === undefined || isAbsolute(path) ? path : resolve(folder, path);
}

/** The folder where `deno task` was called, if it changed into another one, which is always that of deno.json. */
function calledFrom(): string | undefined {
  try {
    const here = Deno.cwd(), folder = here === ROOT ? Deno.env.get("INIT_CWD") : undefined;
    return folder && isAbsolute(folder) && resolve(folder) !== here ? folder : undefined;
  } catch {
    return undefined;
  }
}
