/**
 * Hashes the code of a third-party plugin, so that runs say which code made their images: a plugin's name stays the same when its
 * code changes.
 */
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../system/hashes.ts";
import { Folders, namedFiles } from "./named_files.ts";
import type { PluginSource } from "./plugins.ts";

/** Files that may name others, and the most bytes of a file of another name that may: any file can be required as a module. */
const MODULE = /\.[cm]?[jt]sx?$/i, MAX_OTHER = 2 ** 20;
/** What a module imports from elsewhere. */
const REMOTE = /(["'])((?:npm|jsr|https?):[^"'\n]+)\1/g;
/** The most bytes of a file, and the most files, that are read: a larger one is hashed by its size. */
const MAX_BYTES = 2 ** 28, MAX_FILES = 10_000;

/** Deno's lock file, as far as it says which code an address stands for. */
export interface Lock {
  /** The version of a package by its specifier with a range. */
  readonly specifiers?: Readonly<Record<string, string>>;
  /** The SHA-256 of a module by its address. */
  readonly remote?: Readonly<Record<string, string>>;
}

/**
 * Returns the SHA-256 of a plugin's code: of its file, of all files that it and they name in one text, see `namedFiles`, and of the versions and
 * sums that the lock file has of what they import from elsewhere. It does not depend on where the plugin's folder is.
 */
export async function codeHash({ url }: Pick<PluginSource, "url">, lock: Lock = {}): Promise<string> {
  const parts: string[] = [], imported = new Set<string>(), text = new TextEncoder();
  if (url.startsWith("file:")) {
    const entry = fileURLToPath(url), paths = new Set([entry]), folders = new Folders();
    // A set lists what is added to it while it is read.
    for (const path of paths) {
      const content = await contentOf(path);
      if (content === undefined) continue;
      const name = relative(dirname(entry), path).replaceAll("\\", "/");
      parts.push(`${name} ${typeof content === "number" ? content : await sha256(content)}`);
      if (typeof content === "number" || !MODULE.test(path) && content.length > MAX_OTHER) continue;
      const source = textOf(content);
      for (const other of namedFiles(source, path, dirname(entry), folders)) {
        if (paths.size < MAX_FILES) paths.add(other);
      }
      for (const [, , address] of source.matchAll(REMOTE)) imported.add(address);
    }
  } else {
    imported.add(url);
  }
  for (const address of imported) {
    parts.push(`${address} ${lock.specifiers?.[address] ?? lock.remote?.[address] ?? ""}`);
  }
  return await sha256(text.encode(parts.sort().join("\n")));
}

/** The text of a module, decoded as Deno does it: by the mark at its start, as UTF-8 without one. */
function textOf(content: Uint8Array<ArrayBuffer>): string {
  const [first, second] = content, mark = first << 8 | second;
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(content);
}

/** The bytes of a file; the size of one that is too large; undefined if it is none, or cannot be read. */
async function contentOf(path: string): Promise<Uint8Array<ArrayBuffer> | number | undefined> {
  try {
    const { isFile, size } = await Deno.stat(path);
    if (isFile) return size > MAX_BYTES ? size : await Deno.readFile(path);
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
