/**
 * Where a command may write: not over what it reads nor below it, not among the results of another run nor around them, and not in
 * a working folder.
 * All that write to a path of the user ask here.
 */
import { basename, dirname, join } from "node:path";
import { isWorkName } from "./folder_lock.ts";
import { readRecord } from "./folder_record.ts";
import { foldersOf, isBelow } from "./paths_below.ts";

/** What a command reads: a path, or what was read from files; undefined if nothing. */
export type Input = string | { readonly files: readonly { readonly path: string }[] } | undefined;

/** What is known of a command that writes. */
export interface Writer {
  /** The name of the command. */
  readonly command: string;
  /** What it reads. It may replace and remove nothing of that, and writes into no folder of it. */
  readonly inputs?: readonly Input[];
}

/** An input, and the real paths that are read for it: its own, and those that links in it lead to. */
interface ReadInput {
  readonly path: string;
  readonly targets: readonly string[];
}

/** A folder that may be written to. */
export interface OutPlace {
  /** Its real path. */
  readonly real: string;
  /** The inputs that lie in it. */
  readonly inside: readonly ReadInput[];
}

/** The command that may write below the pictures that it reads: photographs that were imported are seldom read as a data set again. */
const IMPORT = "data import";

/**
 * Checks a folder, which need not be there. What lies in it is checked by `checkReplaced`, when the names of its files are known.
 *
 * @throws {Error} if it lies in an input that is a folder, in the results of another run, or in a working folder; if it is no folder of
 * results yet, and there are some below it
 */
export async function checkFolderPlace(folder: string, writer: Writer): Promise<OutPlace> {
  const real = await realPathOf(folder), inputs = await readInputs(writer);
  await checkOutside("folder", real, writer.command, inputs);
  await checkAround(real);
  const isInside = (target: string) => target === real || isBelow(target, real);
  return { real, inside: inputs.filter(({ targets }) => targets.some(isInside)) };
}

/**
 * Checks the path of a file, which need not be there.
 *
 * @throws {Error} if it is an input, or as `checkFolderPlace`
 */
export async function checkFilePlace(path: string, writer: Writer): Promise<void> {
  const real = join(await realPathOf(dirname(path)), basename(path)), inputs = await readInputs(writer);
  const ways = [real, await Deno.realPath(path).catch(() => real)]; // a link is replaced itself, but is another name of its target
  const same = inputs.find(({ targets }) => ways.some((way) => targets.includes(way)));
  if (same) throw new Error(`expected another file than the input ${same.path}`);
  await checkOutside("file", real, writer.command, inputs);
}

/**
 * Checks which files of a folder will be replaced or removed.
 *
 * @param names their paths below the folder
 * @throws {Error} if an input is the folder itself, one of the files, or a folder that they lie in
 */
export function checkReplaced({ real, inside }: OutPlace, names: readonly string[]): void {
  if (inside.length === 0) return; // nearly always, and a large run has a million names
  const changed = new Set([real]);
  for (const name of names) for (const path of [name, ...foldersOf(name)]) changed.add(join(real, path));
  const lost = inside.find(({ targets }) => targets.some((target) => changed.has(target)));
  if (lost) throw new Error(`expected another folder than that of the input ${lost.path}`);
}

/** Throws if a place lies where nothing is written. */
async function checkOutside(
  kind: "folder" | "file",
  real: string,
  command: string,
  inputs: readonly ReadInput[],
): Promise<void> {
  const above = parentsOf(real), work = [real, ...above].find((path) => isWorkName(basename(path)));
  if (work !== undefined) throw new Error(`expected a ${kind} outside of the working folder ${work}`);
  // The next command that reads the folder would find the results among its pictures.
  const input = inputs.find(({ targets }) => targets.some((target) => isBelow(real, target)));
  if (input && command !== IMPORT) throw new Error(`expected a ${kind} outside of the input ${input.path}`);
  // Results among others are foreign to them: `verify` would name them, and some readers refuse the folder.
  for (const folder of above) {
    const record = await readRecord(folder);
    if (record) throw new Error(`expected a ${kind} outside of the results of ${record.command} in ${folder}`);
  }
}

/**
 * Folders below a new one in which results are looked for: those of `out/faces`, of `out/tries/faces`, and of shards in one of them.
 * A folder of pictures is seldom deeper, and is not searched file by file.
 */
const DEEPEST_RESULTS = 3;

/** Throws if a folder has results below it and none itself: with a record of its own they would be foreign to it. */
async function checkAround(folder: string): Promise<void> {
  if (await readRecord(folder)) return;
  for (let depth = 1, folders = [folder]; depth <= DEEPEST_RESULTS && folders.length > 0; depth++) {
    folders = (await Promise.all(folders.map(foldersIn))).flat();
    for (const inner of folders) {
      const record = await readRecord(inner);
      if (record) {
        throw new Error(`expected a folder without results below it, got those of ${record.command} in ${inner}`);
      }
    }
  }
}

/** The folders in a folder, links and hidden ones left out; none where it cannot be read. */
async function foldersIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  return entries.flatMap(({ name, isDirectory }) => isDirectory && !name.startsWith(".") ? [join(folder, name)] : []);
}

/** The real path of what is there, or will be there. */
async function realPathOf(path: string): Promise<string> {
  const real = await Deno.realPath(path).catch(() => undefined), parent = dirname(path);
  return real ?? (parent === path ? path : join(await realPathOf(parent), basename(path)));
}

/** The folders that a path lies in, the deepest first. */
function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let at = path; at !== dirname(at); at = dirname(at)) parents.push(dirname(at));
  return parents;
}

/** Finds out what is read. An input that is not there is reported by what reads it. */
async function readInputs({ inputs = [] }: Writer): Promise<ReadInput[]> {
  const paths = inputs.flatMap((one) => typeof one === "object" ? one.files.map(({ path }) => path) : one ?? []);
  return await Promise.all(paths.map(async (path) => ({ path, targets: await targetsOf(path, DEEPEST) })));
}

/** Folders in which readers of pictures look: the one that is given, its splits, and their classes. */
const DEEPEST = 3;

/** The real path of what is read, and those that links in its folders lead to, which readers follow. */
async function targetsOf(path: string, depth: number): Promise<string[]> {
  const real = await Deno.realPath(path).catch(() => undefined);
  return real === undefined ? [] : [real, ...await linkedFrom(real, depth)];
}

async function linkedFrom(folder: string, depth: number): Promise<string[]> {
  if (depth === 0) return [];
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []); // a file has none
  const others = entries.filter(({ isFile }) => !isFile).map(async ({ name, isSymlink }) => {
    return await (isSymlink ? targetsOf : linkedFrom)(join(folder, name), depth - 1);
  });
  return (await Promise.all(others)).flat();
}
