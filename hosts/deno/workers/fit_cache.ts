/**
 * Keeps fits of priors in the user's data folder, one file each. The file is named by the SHA-256 of everything that the fit
 * depends on, so that no outdated fit is ever read.
 */
import { dirname, join } from "node:path";
import type { Cache } from "../../../pipelines/run/runner.ts";
import { ignoreMissing } from "../folders/folder_lock.ts";
import { codeHash } from "../system/code_hash.ts";
import { sha256 } from "../system/hashes.ts";
import { needed } from "../system/needed.ts";
import { writeAtomically } from "../system/write_atomically.ts";

/** Length of a SHA-256 as text. Each file begins with the SHA-256 of the rest. */
const SUM_BYTES = 64;

/** The code of all that is kept, and the versions of the packages that it uses. */
export const FITTING_CODE: readonly string[] = [
  ...["deno.lock", "assembly/", "core/", "datasets/", "plugins/", "priors/"],
  ...["pipelines/assessment/", "pipelines/run/", "pipelines/synthesis/"],
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
      const file = await path(name, key);
      return file ? await readSummed(file) : undefined;
    },
    async write(name, key, bytes) {
      const file = readOnly ? undefined : await path(name, key);
      if (!file || !await writeSummed(file, bytes)) return;
      await Deno.remove(begunFolder(file), { recursive: true }).catch(() => {});
      const { removeOldVersions } = await needed<typeof import("../system/newest_versions.ts")>(
        "system/newest_versions.ts",
      );
      await removeOldVersions(dirname(file)).catch(() => {});
    },
    async parts(name, key) {
      const file = await path(name, key), kept = new Map<number, Uint8Array>();
      if (!file) return { kept, add: () => Promise.resolve() };
      const begun = begunFolder(file);
      for (const batch of await namesIn(begun)) {
        const bytes = await readSummed(join(begun, batch));
        for (const [number, part] of bytes ? splitParts(bytes) : []) kept.set(number, part);
      }
      return {
        kept,
        async add(parts) {
          if (!readOnly) await writeSummed(join(begun, `${crypto.randomUUID()}.parts`), joinParts(parts));
        },
      };
    },
  };
}

/** The paths of all that is kept in a folder by `fitCache`, whole or begun. */
export async function keptFits(folder: string): Promise<string[]> {
  const entriesOf = (path: string) => Array.fromAsync(Deno.readDir(path)).catch(() => []);
  const fitted = join(folder, "fitted"), kinds = await entriesOf(fitted);
  const files = kinds.map(async ({ name }) => {
    return (await entriesOf(join(fitted, name))).map((file) => join(fitted, name, file.name));
  });
  return (await Promise.all(files)).flat();
}

/** Removes what `keptFits` found; what another program removed in the meantime is no error. */
export async function removeFits(paths: readonly string[]): Promise<void> {
  for (const path of paths) await Deno.remove(path, { recursive: true }).catch(ignoreMissing);
}

/** The folder of the parts of a file that is not whole yet: some in each file. */
function begunFolder(file: string): string {
  return file.replace(/\.parts$/, ".begun");
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return entries.map(({ name }) => name).filter((name) => name.endsWith(".parts"));
}

/** Reads a file that begins with its sum; undefined if it is missing or changed. */
async function readSummed(file: string): Promise<Uint8Array | undefined> {
  const bytes = await Deno.readFile(file).catch(() => undefined);
  if (!bytes || bytes.length <= SUM_BYTES) return undefined;
  const rest = bytes.subarray(SUM_BYTES), sum = new TextDecoder().decode(bytes.subarray(0, SUM_BYTES));
  return sum === await sha256(rest) ? rest : undefined;
}

/** Writes a file that begins with its sum. Returns whether it could: to fit again is slow, but no error. */
async function writeSummed(file: string, bytes: Uint8Array): Promise<boolean> {
  const content = new Uint8Array(SUM_BYTES + bytes.length);
  content.set(new TextEncoder().encode(await sha256(bytes)));
  content.set(bytes, SUM_BYTES);
  return await writeAtomically(file, content).then(() => true, () => false);
}

/** Writes parts one after another: number and length as little-endian u32, and the bytes. */
function joinParts(parts: ReadonlyMap<number, Uint8Array>): Uint8Array {
  const bytes = new Uint8Array([...parts.values()].reduce((sum, { length }) => sum + 8 + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [number, part] of parts) {
    view.setUint32(at, number, true);
    view.setUint32(at + 4, part.length, true);
    bytes.set(part, at + 8);
    at += 8 + part.length;
  }
  return bytes;
}

/** Reads what `joinParts` wrote. */
function* splitParts(bytes: Uint8Array): Generator<[number, Uint8Array]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length;) {
    const length = view.getUint32(at + 4, true), end = at + 8 + length;
    yield [view.getUint32(at, true), bytes.subarray(at + 8, end)];
    at = end;
  }
}
