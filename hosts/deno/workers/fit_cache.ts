/**
 * Keeps fits of priors in the user's data folder, one file each. The file is named by the SHA-256 of everything that the fit
 * depends on, so that no outdated fit is ever read.
 */
import { basename, dirname, join } from "node:path";
import type { Cache } from "../../../pipelines/run/runner.ts";
import { codeHash } from "../system/code_hash.ts";
import { sha256 } from "../system/hashes.ts";
import { writeAtomically } from "../system/write_atomically.ts";

/** Length of a SHA-256 as text. Each file begins with the SHA-256 of the rest. */
const SUM_BYTES = 64;

/** The code that fits, morphs or compares, and the versions of the packages that it uses. */
export const FITTING_CODE: readonly string[] = [
  ...["deno.lock", "core/", "priors/", "plugins/contexts/", "plugins/denoisers/", "assembly/", "datasets/morphs/"],
  ...["noise_choice", "noise_gate", "noise_halves", "noise_left_out", "noise_nearness", "noise_trials", "saturation"]
    .map((name) => {
      return `pipelines/run/${name}.ts`;
    }),
  "pipelines/synthesis/nearness.ts",
];

/**
 * Makes a cache in a folder, which need not exist. Nothing is kept if the sources of the code cannot be read.
 *
 * @param readOnly whether nothing is written: later runs without plugins must not use what was computed beside them
 */
export function fitCache(folder: string, readOnly = false): Cache {
  let code: Promise<string | undefined> | undefined;
  const path = async (name: string, key: Uint8Array) => {
    const version = await (code ??= codeHash(FITTING_CODE).catch(() => undefined));
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
      const file = readOnly ? undefined : await path(name, key);
      if (!file) return;
      const content = new Uint8Array(SUM_BYTES + bytes.length);
      content.set(new TextEncoder().encode(await sha256(bytes)));
      content.set(bytes, SUM_BYTES);
      // Fitting again is slow, but no error.
      await writeAtomically(file, content).then(() => removeOlder(dirname(file), name)).catch(() => {});
    },
  };
}

/** Removes what older code fitted. */
async function removeOlder(kept: string, name: string): Promise<void> {
  for await (const other of Deno.readDir(dirname(kept))) {
    if (other.name.startsWith(`${name}-`) && other.name !== basename(kept)) {
      await Deno.remove(join(dirname(kept), other.name), { recursive: true });
    }
  }
}
