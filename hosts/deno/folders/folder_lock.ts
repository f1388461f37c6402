/**
 * The hidden working folder of a command, in or beside what it writes. It holds a lock, files that are not whole yet, and the
 * SHA-256 of those that are. A command that is killed leaves it behind; the next one cleans it up.
 */
import { join } from "node:path";
import { namesIn } from "../system/entries.ts";
import { LARGE } from "../system/hashes.ts";

/** The name of the working folder in what a command writes. */
export const WORK = ".patchloom";

/** The name of the working folder beside a file that a command writes. */
export function workBeside(file: string): string {
  return `.${file}${WORK}`;
}

/** Whether a folder of a name is a working folder. */
export function isWorkName(name: string): boolean {
  return name.startsWith(".") && name.endsWith(WORK);
}

/** Another command holds the lock of a folder. */
export class FolderLocked extends Error {}

const LOCK = "lock", SUMS = "sums", SCRATCH = "scratch";
/** Names of files that are not whole yet: a number for those of one command, a random name for those of several processes at a time. */
export const UNFINISHED = /^[\w-]+\.part$/;

/** Whether a file below a folder is one that a command has in its working folder, until it ends or the next one cleans up. */
export function isWorkFile(name: string): boolean {
  const [folder, file, ...below] = name.split("/");
  if (folder !== WORK) return false;
  return below.length > 0 ? file === SCRATCH : file === LOCK || file === SUMS || UNFINISHED.test(file);
}

/** The working folder of one command. */
export interface WorkFolder {
  /** What the sums of a killed run list: the SHA-256 that a file may have, by its name. */
  readonly sums: ReadonlyMap<string, readonly string[]>;
  /** Notes the SHA-256 of files before they get their names. */
  note(sums: Iterable<readonly [name: string, sha256: string]>): Promise<void>;
  /** Writes bytes to a new file and returns its path. */
  part(bytes: Uint8Array): Promise<string>;
  /** Makes a new file of the content of another one, a hard link where the file system has links, and returns its path. */
  partOf(path: string): Promise<string>;
  /** Gives a file that is whole its name. */
  move(part: string, path: string): Promise<void>;
  /** Makes an empty folder for a tool that writes files itself. Returns its path; it is removed at the end. */
  scratch(): Promise<string>;
  /** Whether the lock is still held: not if somebody has removed the folder, perhaps for another command that began in it. */
  isHeld(): boolean;
  /** Gives the lock back. The folder is removed; with `keepSums` the sums that the next command needs stay. */
  close(keepSums: boolean): Promise<void>;
}

/**
 * Makes the working folder, or takes over that of a killed command. Once the lock is lost, nothing is written or removed any more.
 *
 * @param work path of the working folder
 * @throws {FolderLocked} if another command holds its lock
 * @throws {Error} if there is something else of that name
 */
export async function openWorkFolder(work: string): Promise<WorkFolder> {
  const path = (name: string) => join(work, name);
  const lock = await lockIn(work);
  const isHeld = () => isSame(lock, path(LOCK));
  const check = () => {
    if (!isHeld()) throw new Error("its folder was removed while this command was writing to it");
  };
  // Others have no file of this name: what this command writes disappears with the folder that it was opened in.
  const id = crypto.randomUUID(), next = () => path(`${id}-${parts++}.part`);
  let journal: Deno.FsFile | undefined, parts = 0;
  await removeFiles(work, (name) => UNFINISHED.test(name)); // of a killed command
  const sums = await readSums(path(SUMS)).catch((error) => {
    lock.close();
    throw error;
  });
  return {
    sums,
    isHeld,
    async note(noted) {
      check();
      journal ??= await beginSums(path(SUMS), next(), sums);
      await writeSums(journal, noted);
    },
    async part(bytes) {
      check();
      const part = next();
      await writeNew(part, bytes);
      return part;
    },
    async partOf(other) {
      check();
      const part = next();
      // Not on another disk, nor on every file system.
      await Deno.link(other, part).catch(() => Deno.copyFile(other, part));
      return part;
    },
    async move(part, to) {
      check();
      await Deno.rename(part, to);
    },
    async scratch() {
      check();
      await Deno.remove(path(SCRATCH), { recursive: true }).catch(ignoreMissing);
      await Deno.mkdir(path(SCRATCH));
      return path(SCRATCH);
    },
    async close(keepSums) {
      journal?.close();
      if (!isHeld()) return lock.close();
      await removeFiles(work, (name) => UNFINISHED.test(name) || name === SUMS && !keepSums);
      await Deno.remove(path(SCRATCH), { recursive: true }).catch(() => {});
      await Deno.remove(path(LOCK)).catch(() => {});
      lock.close();
      await Deno.remove(work).catch(() => {}); // stays if anything is in it
    },
  };
}

/** How often a lock is tried to take whose folder another command removes at the same time. */
const TRIES = 20;

/** Makes the folder where there is none, and takes its lock. The command before may remove the folder meanwhile. */
async function lockIn(work: string): Promise<Deno.FsFile> {
  for (let tries = 1;; tries++) {
    await makeWork(work);
    try {
      return await takeLock(join(work, LOCK));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || tries === TRIES) throw error;
    }
  }
}

/**
 * Makes the folder where there is none.
 *
 * @throws {Error} if there is something else of its name, or in it
 */
async function makeWork(work: string): Promise<void> {
  await Deno.mkdir(work).catch(async (error) => {
    const info = await Deno.lstat(work).catch(() => undefined); // undefined where it was removed meanwhile
    if (info ? !info.isDirectory : !(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  const entries = await Array.fromAsync(Deno.readDir(work)).catch((error) => {
    ignoreMissing(error);
    return [];
  });
  for (const { name, isFile, isDirectory } of entries) {
    // A link would lead the lock or the sums to another file.
    const isOurs = name === SCRATCH ? isDirectory : isFile;
    if (!isOurs) throw new Error(`${join(work, name)} was not written by Patchloom: expected nothing of that name`);
  }
}

/** Whether a path is that of an open file, and not of another one that was put in its place. */
function isSame(file: Deno.FsFile, path: string): boolean {
  try {
    const [one, other] = [file.statSync(), Deno.lstatSync(path)];
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false;
  }
}

/** Removes the files of a folder that are chosen by their names, as far as that is possible. */
async function removeFiles(folder: string, isChosen: (name: string) => boolean): Promise<void> {
  for (const name of (await namesIn(folder)).filter(isChosen)) await Deno.remove(join(folder, name)).catch(() => {});
}

/** Takes the lock. The system gives a lock back when its process ends, however it ends: a lock of a killed command is free. */
async function takeLock(path: string): Promise<Deno.FsFile> {
  for (;;) {
    const file = await Deno.open(path, { read: true, write: true, create: true });
    try {
      // File systems without locks have none to take.
      if (!await file.tryLock(true).catch(() => true)) {
        const process = (await Deno.readTextFile(path).catch(() => "")).trim();
        throw new FolderLocked(
          `another command${/^\d+$/.test(process) ? ` (process ${process})` : ""} is writing to it`,
        );
      }
      // The file of a hard link has another name, too: it is not written to.
      if ((file.statSync().nlink ?? 1) > 1 && isSame(file, path)) await Deno.remove(path);
      // The command before may have removed the file after it was opened here.
      if (isSame(file, path)) {
        await file.truncate();
        await writeAll(file, new TextEncoder().encode(`${Deno.pid}\n`));
        return file;
      }
      file.close();
    } catch (error) {
      file.close();
      throw error;
    }
  }
}

/** Writes a new file. `Deno.writeFile` has a copy of the bytes while it writes: more than `large` are written without. */
export async function writeNew(path: string, bytes: Uint8Array, large = LARGE): Promise<void> {
  if (bytes.length <= large) return await Deno.writeFile(path, bytes, { createNew: true });
  using file = await Deno.open(path, { write: true, createNew: true });
  await writeAll(file, bytes);
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
}

/** Bytes of sums that are read: of some three million files. A sparse file may say that it has any number. */
const MAX_SUMS = 2 ** 28;

/** The SHA-256 that files of a killed command may have, by their names: what `WorkFolder.sums` will be. Throws as `openWorkFolder`. */
export async function sumsIn(work: string): Promise<WorkFolder["sums"]> {
  return await readSums(join(work, SUMS));
}

/**
 * Reads whole lines of SHA-256 and name; the last one may have been cut off.
 *
 * @throws {Error} if there are more than `MAX_SUMS` bytes
 */
async function readSums(path: string): Promise<Map<string, string[]>> {
  const { size } = await Deno.stat(path).catch(() => ({ size: 0 }));
  if (size > MAX_SUMS) {
    throw new Error(`${path} was not written by Patchloom: expected at most ${MAX_SUMS} bytes, got ${size}`);
  }
  const text = await Deno.readTextFile(path).catch(() => ""), sums = new Map<string, string[]>();
  for (const line of text.split("\n").slice(0, -1)) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (name !== undefined) sums.set(name, [...sums.get(name) ?? [], sum]);
  }
  return sums;
}

/**
 * Begins a new file of sums with those of a killed command, in place of its file: that one may be a hard link, and another name of
 * the same file would get the new lines, too.
 */
async function beginSums(path: string, part: string, before: WorkFolder["sums"]): Promise<Deno.FsFile> {
  const file = await Deno.open(part, { append: true, createNew: true });
  await writeSums(file, [...before].flatMap(([name, sums]) => sums.map((sum) => [name, sum] as const)));
  await Deno.rename(part, path);
  return file;
}

async function writeSums(file: Deno.FsFile, sums: Iterable<readonly [name: string, sha256: string]>): Promise<void> {
  const lines = Array.from(sums, ([name, sum]) => `${sum}  ${name}\n`);
  await writeAll(file, new TextEncoder().encode(lines.join("")));
}

/** Rethrows an error unless it says that there is no such file. */
export function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
