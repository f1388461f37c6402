/** Finds the files that a module of a plugin names, as Deno resolves names: those whose change would change what the plugin does. */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { UNREADABLE } from "../system/entries.ts";

/** What can be a text in a module, from each quotation mark on: what only looks so, and names no file, changes nothing. */
const TEXT = /(?=(["'`])((?:\\[^]|(?!\1)[^\\\n]){1,1000})\1)/g;
/** An escape in a text: a code, a character, or the end of a line, which counts for nothing. */
const ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|\r\n|([^]))/gi;
/** A comment that names the folder of a module, which JSX imports. */
const JSX = /@jsxImportSource\s+([^\s*]+)/g;
const JSX_MODULES = ["jsx-runtime", "jsx-dev-runtime"];
/** How a text begins that can name nothing but a path. */
const PATH = /^(?:\.{0,2}[/\\]|\.{1,2}$|file:)/i;
/** What `require` adds to a name. */
const ENDINGS = ["", ".js", ".json", ".cjs", ".mjs", ".node", ".ts", ".mts", ".cts", ".tsx", ".jsx"];

/** The entries of folders: many texts of a module are looked up in few folders. */
export class Folders {
  readonly #entries = new Map<string, ReadonlyMap<string, boolean>>();
  readonly #names = new Map<string, ReadonlySet<string>>();

  /** Whether a path is that of a folder; undefined if nothing is there. */
  isFolder(path: string): boolean | undefined {
    const folder = dirname(path);
    return folder === path || this.#of(folder).get(basename(path));
  }

  /** Whether a folder has an entry of that name, or one that `require` finds by it. */
  has(folder: string, name: string): boolean {
    const known = this.#names.get(folder) ?? new Set(this.#of(folder).keys().flatMap(requiredBy));
    this.#names.set(folder, known);
    return known.has(name);
  }

  #of(folder: string): ReadonlyMap<string, boolean> {
    const known = this.#entries.get(folder) ?? entriesOf(folder);
    this.#entries.set(folder, known);
    return known;
  }
}

/** The names by which `require` finds a file. */
function requiredBy(file: string): string[] {
  return ENDINGS.filter((ending) => file.endsWith(ending)).map((ending) => file.slice(0, file.length - ending.length));
}

/** The names in a folder, and whether each is a folder, too; where links lead counts. None where it cannot be read. */
function entriesOf(folder: string): ReadonlyMap<string, boolean> {
  const entries = new Map<string, boolean>();
  try {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
      entries.set(name, isSymlink ? leadsToFolder(join(folder, name)) : isDirectory);
    }
  } catch {
    // Nothing can be imported from it either.
  }
  return entries;
}

function leadsToFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** The texts in a module, and the addresses that its JSX stands for: all that may name what it imports. */
export function namesIn(source: string): ReadonlySet<string> {
  const names = new Set(source.matchAll(TEXT).map(([, , text]) => text.replace(ESCAPE, unescaped)));
  for (const [, name] of source.matchAll(JSX)) for (const inner of JSX_MODULES) names.add(`${name}/${inner}`);
  return names;
}

/**
 * Returns the paths of the files that are there and that texts of a module may name. A name with a query, with coded letters
 * (`%68` or `\u0068` for h), bare, or, for `require`, without its ending stands for the file that Deno would take; a folder stands
 * for its `package.json` and its `index.js`. The `package.json` of the module's own folder and of those above it, up to `top`, are
 * among them: they say how it is read.
 *
 * @param names the texts in the module: see `namesIn`
 * @param path the path of the module, and `top`, the folder of the plugin's first file
 * @throws {Error} if a file that is there has a name that is not UTF-8
 */
export function namedFiles(names: ReadonlySet<string>, path: string, top: string, folders: Folders): string[] {
  const above = foldersAbove(dirname(path), top), found = new Set<string>();
  const add = (file: string) => {
    checkReadable(file, folders);
    for (const ending of ENDINGS) {
      const isFolder = folders.isFolder(file + ending);
      if (isFolder === false) found.add(file + ending);
      if (isFolder !== true || ending !== "") continue;
      for (const inner of ["package.json", ...ENDINGS.map((one) => `index${one}`)]) {
        if (folders.isFolder(join(file, inner)) === false) found.add(join(file, inner));
      }
    }
  };
  const packages = above.map((folder) => join(folder, "node_modules")).filter((folder) => folders.isFolder(folder));
  for (const name of names) {
    if (PATH.test(name) || isIn(dirname(path), name, folders)) placesOf(name, path).forEach(add);
    for (const folder of packages) if (isIn(folder, name, folders)) add(join(folder, name));
  }
  for (const folder of above) {
    const manifest = join(folder, "package.json");
    if (folders.isFolder(manifest) === false) found.add(manifest);
  }
  return [...found];
}

/** Whether the first part of a name is in a folder, or may be: most texts name nothing, and a module can have a million. */
function isIn(folder: string, name: string, folders: Folders): boolean {
  if (name.includes("%")) return true;
  const end = name.search(/[/\\?#]/);
  return folders.has(folder, end < 0 ? name : name.slice(0, end));
}

/** A folder and those that it is in, up to `top`; itself alone if it is elsewhere. */
function foldersAbove(folder: string, top: string): string[] {
  const inner = relative(top, folder);
  if (inner.startsWith("..") || isAbsolute(inner)) return [folder];
  const parts = inner.split(/[/\\]/).filter((part) => part !== "");
  return [folder, ...parts.map((_, n) => join(folder, ...parts.slice(n).map(() => "..")))];
}

/** Where a name leads as an address beside a module, whose codes Deno reads, also that of `/`, and as a path. */
function placesOf(name: string, path: string): Set<string> {
  const places = new Set<string>();
  if (/[\0\n]/.test(name)) return places;
  if (!/^\w\w+:/.test(name)) places.add(resolve(dirname(path), name));
  const url = URL.parse(name, pathToFileURL(path));
  if (url?.protocol !== "file:") return places;
  try {
    const text = decoded(url.pathname), pathname = Deno.build.os === "windows" ? text.replaceAll("\\", "/") : text;
    url.pathname = pathname.split("/").map(encodeURIComponent).join("/");
    places.add(resolve(fileURLToPath(url)));
  } catch {
    // names no file
  }
  return places;
}

/** A path of an address with its codes as the bytes that they stand for, as Deno reads it: what is no code stays as it is. */
function decoded(pathname: string): string {
  const latin = pathname.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
  return new TextDecoder().decode(Uint8Array.from(latin, (letter) => letter.charCodeAt(0)));
}

/** Throws if a path leads through a name that is not UTF-8: Deno finds it by an address with its bytes, and nothing here can read it. */
function checkReadable(path: string, folders: Folders): void {
  if (!path.includes(UNREADABLE)) return;
  const end = path.indexOf(sep, path.indexOf(UNREADABLE)), named = end < 0 ? path : path.slice(0, end);
  if (folders.isFolder(named) === undefined) return;
  throw new Error(`Cannot use ${named} in a plugin: expected names in UTF-8; rename that file or folder`);
}

function unescaped(_escape: string, ...[braced, four, two, character]: readonly (string | undefined)[]): string {
  const digits = braced ?? four ?? two, code = parseInt(digits ?? "", 16);
  // The end of a line counts for nothing. Addresses leave tabs and the ends of lines out, by whichever escape.
  if (digits === undefined) return /[\n\r\u2028\u2029tnr]/.test(character ?? "\n") ? "" : character!;
  return code > 0x10ffff || [9, 10, 13].includes(code) ? "" : String.fromCodePoint(code);
}
