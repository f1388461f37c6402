/**
 * Hashes the code of a third-party plugin, so that runs say which code made their images: a plugin's name stays the same when its
 * code changes.
 */
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256, sha256OfFile } from "../system/hashes.ts";
import { Folders, namedFiles, namesIn } from "./named_files.ts";
import type { PluginSource } from "./plugins.ts";

/** Files that may name others, and the most bytes of a file of another name that may: any file can be required as a module. */
const MODULE = /\.[cm]?[jt]sx?$/i, MAX_OTHER = 2 ** 20;
/** What a module imports from elsewhere. */
const REMOTE = /^\s*(?:npm|jsr|https?):/i;
/** The most files of a plugin's code, and the most bytes of one: a larger one is hashed by its size. */
const MAX_FILES = 10_000;
export const MAX_BYTES = 2 ** 28;

/** Deno's lock file, as far as it says which code an address stands for. */
export interface Lock {
  /** The version of a package by its specifier with a range. */
  readonly specifiers?: Readonly<Record<string, string>>;
  /** The SHA-256 of a module by its address. */
  readonly remote?: Readonly<Record<string, string>>;
}

/** What the sum of a plugin's code covers. */
interface Covered {
  /** The paths of files, the plugin's own first. */
  readonly files: readonly string[];
  /** What they import from elsewhere. */
  readonly imported: readonly string[];
}

/** Finds the file of a plugin and all files that it and they name in one text, see `namedFiles`. In a sandbox it reads no others. */
export function coveredBy(entry: string): Covered {
  const paths = new Set([entry]), files: string[] = [], imported = new Set<string>(), folders = new Folders();
  // A set lists what is added to it while it is read.
  for (const path of paths) {
    const size = sizeOf(path);
    if (size === undefined) continue;
    files.push(path);
    if (size > (MODULE.test(path) ? MAX_BYTES : MAX_OTHER)) continue;
    const names = namesIn(textOf(path));
    for (const other of namedFiles(names, path, dirname(entry), folders)) if (paths.size < MAX_FILES) paths.add(other);
    for (const name of names) if (REMOTE.test(name)) imported.add(name);
  }
  return { files, imported: [...imported] };
}

/**
 * Returns the SHA-256 of a plugin's code: of the files that `coveredBy` finds, and of the versions and sums that the lock file has of what they
 * import from elsewhere. It does not depend on where the plugin's folder is.
 */
export async function codeHash({ url }: Pick<PluginSource, "url">, lock: Lock = {}): Promise<string> {
  const parts: string[] = [], entry = url.startsWith("file:") ? fileURLToPath(url) : undefined;
  const { files, imported } = entry === undefined ? { files: [], imported: [url] } : coveredBy(entry);
  for (const path of files) {
    const size = sizeOf(path);
    if (size === undefined) continue; // removed since
    const name = relative(dirname(entry!), path).replaceAll("\\", "/");
    parts.push(`${name} ${size > MAX_BYTES ? size : await sha256OfFile(path)}`);
  }
  for (const address of imported) {
    parts.push(`${address} ${lock.specifiers?.[address] ?? lock.remote?.[address] ?? ""}`);
  }
  return await sha256(new TextEncoder().encode(parts.sort().join("\n")));
}

/**
 * Returns what throws once one of the files that the sums of plugins cover was changed. It looks at sizes and times: that takes some
 * microseconds a file.
 */
export function changeCheck(sources: readonly PluginSource[]): () => void {
  const local = sources.filter(({ url }) => url.startsWith("file:"));
  const paths = new Set(local.flatMap(({ url, files }) => files ?? coveredBy(fileURLToPath(url)).files));
  const before = new Map(Array.from(paths, (path) => [path, stampOf(path)]));
  return () => {
    for (const [path, stamp] of before) {
      if (stampOf(path) !== stamp) {
        throw new Error(`Cannot go on: the plugin file ${path} was changed while the command ran`);
      }
    }
  };
}

/** What changes when a file does. */
function stampOf(path: string): string {
  try {
    const { size, ino, mtime, ctime } = Deno.statSync(path);
    return [size, ino, mtime?.getTime(), ctime?.getTime()].join(" ");
  } catch {
    return "missing";
  }
}

/** The text of a module, decoded as Deno does it: by the mark at its start, as UTF-8 without one. */
function textOf(path: string): string {
  const content = Deno.readFileSync(path), [first, second] = content, mark = first << 8 | second;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(content);
}

/** The bytes of a file; undefined if there is none, or if it cannot be read. */
function sizeOf(path: string): number | undefined {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return undefined;
    Deno.openSync(path).close();
    return size;
  } catch {
    return undefined;
  }
}

/** Reads the lock file beside this program; an empty one if there is none. */
export async function readLock(): Promise<Lock> {
  try {
    return JSON.parse(await Deno.readTextFile(new URL("../../../deno.lock", import.meta.url)));
  } catch {
    return {};
  }
}
