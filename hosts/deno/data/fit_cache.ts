/**
 * Keeps fits of priors in the user's data folder: a file for each, its name the SHA-256 of all that the fit depends on, so that
 * nothing stale is ever read.
 */
import { basename, dirname, join } from "@std/path";
import type { Cache } from "../../../pipelines/runner.ts";
import { sha256, writeAtomically } from "./data_folder.ts";

/** Length of a SHA-256 as text: each file begins with that of the rest. */
const SUM_BYTES = 64;

/** A cache in a folder, which need not exist. Sources that may not be read have no cache: nothing is kept then. */
export function fitCache(folder: string): Cache {
  let code: Promise<string | undefined> | undefined;
  const path = async (name: string, key: Uint8Array) => {
    const version = await (code ??= codeHash().catch(() => undefined));
    return version && join(folder, "fitted", `${name}-${version}`, `${await sha256(key)}.parts`);
  };
  return {
    async read(name, key) {
      const file = await path(name, key), bytes = file && await Deno.readFile(file).catch(() => undefined);
      if (!bytes || bytes.length <= SUM_BYTES) return undefined;
      const rest = bytes.subarray(SUM_BYTES), sum = new TextDecoder().decode(bytes.subarray(0, SUM_BYTES));
      return sum === await sha256(rest) ? rest : undefined;
    },
    async write(name, key, bytes) {
      const file = await path(name, key);
      if (!file) return;
      const whole = new Uint8Array(SUM_BYTES + bytes.length);
      whole.set(new TextEncoder().encode(await sha256(bytes)));
      whole.set(bytes, SUM_BYTES);
      // Fitting again is slow, but no error.
      await writeAtomically(file, whole).then(() => removeOlder(dirname(file), name)).catch(() => {});
    },
  };
}

/**
 * Names the code that fits: any change of it gives another hash. Code that was loaded from elsewhere than a file cannot be
 * read, but there its URL holds its version.
 */
async function codeHash(): Promise<string> {
  const parts = [import.meta.url];
  if (import.meta.url.startsWith("file:")) {
    const root = new URL("../../../", import.meta.url), urls = [new URL("deno.lock", root)];
    for (const folder of ["core/", "priors/", "plugins/contexts/", "assembly/"]) {
      urls.push(...sources(new URL(folder, root)));
    }
    const sorted = urls.map((url) => url.href).sort();
    parts.splice(0, 1, ...sorted.map((url) => Deno.readTextFileSync(new URL(url))));
  }
  return (await sha256(new TextEncoder().encode(parts.join("\0")))).slice(0, 16);
}

/** The TypeScript files in a folder and in those below it. */
function sources(folder: URL): URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return sources(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? [new URL(name, folder)] : [];
  });
}

/** Removes what older code fitted. */
async function removeOlder(kept: string, name: string): Promise<void> {
  for await (const other of Deno.readDir(dirname(kept))) {
    if (other.name.startsWith(`${name}-`) && other.name !== basename(kept)) {
      await Deno.remove(join(dirname(kept), other.name), { recursive: true });
    }
  }
}
