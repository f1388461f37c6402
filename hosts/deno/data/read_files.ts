/** Reads files and folders; each error is one sentence that names the path. */
import { join } from "node:path";
import { shapeText, type Size } from "../../../core/shape.ts";
import type { DataSet, LabelledImages } from "../../../datasets/data_set.ts";
import { commandLine } from "../system/command_line.ts";
import { entriesOf } from "../system/entries.ts";
import { reason } from "../system/reason.ts";
import { LARGE } from "../system/hashes.ts";

/** The images of a folder or file. There are test images only if it has a test split. */
export interface ReadImages {
  readonly train: LabelledImages;
  readonly test?: LabelledImages;
  readonly files: DataSet["files"];
  /** The file of each training image, where each has one. */
  readonly names?: readonly string[];
  /** The names of the classes, if they are not named by numbers: label i is that of `classes[i]`. */
  readonly classes?: readonly string[];
  /** How numbers were scaled to bytes, where they were numbers of an array. */
  readonly scaled?: string;
  /** What users should know of how the files were read: phrases. */
  readonly notes?: readonly string[];
}

/** No data set, pack or picture is larger: the memory of kernels is 4 GiB. */
const LARGEST_FILE = 2 ** 32;

/**
 * Returns what a path is: a file or a folder.
 *
 * @throws {Error} if there is none, or if it is a device, a pipe or a socket, which may never end
 */
export async function stat(path: string): Promise<Deno.FileInfo> {
  const info = await Deno.stat(path).catch((cause) => {
    if (!(cause instanceof Deno.errors.NotFound)) throw cannotRead(path, cause);
    const isAddress = /^[a-z][a-z\d+.-]+:\/\//i.test(path);
    throw new Error(
      isAddress
        ? `Cannot read ${path}: expected a path, got an address; download it first`
        : `There is no file or folder ${path}`,
      { cause },
    );
  });
  if (info.isFile || info.isDirectory) return info;
  throw noFile(path, info);
}

/** Lists the files and folders in a folder, sorted by code unit, so that every machine has the same order. */
export async function list(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [], folders: string[] = [];
  for await (const entry of entriesOf(folder)) {
    // A link without a target is neither.
    const kind = entry.isSymlink ? await Deno.stat(join(folder, entry.name)).catch(() => entry) : entry;
    if (kind.isFile) files.push(entry.name);
    if (kind.isDirectory) folders.push(entry.name);
  }
  return { files: files.sort(), folders: folders.sort() };
}

/**
 * Reads the bytes of a file.
 *
 * @param what names the file in errors
 * @param read reads the bytes of a file
 * @throws {Error} if there is none, if it is no file, if it is too large, or if another program changed it meanwhile
 */
export async function readFile(path: string, what = path, read = readBytes): Promise<Uint8Array<ArrayBuffer>> {
  // Reading a device or a pipe may never end, and a file of a terabyte is no data set.
  const info = await Deno.stat(path).catch((cause) => {
    throw cannotRead(what, cause);
  });
  if (!info.isFile && !info.isDirectory) throw noFile(what, info);
  if (info.size > LARGEST_FILE) {
    throw new Error(`Cannot read ${what}: expected at most ${LARGEST_FILE} bytes, got ${info.size}`);
  }
  try {
    const bytes = await read(path, info.size), { size, mtime } = await Deno.stat(path);
    // Files such as those of `/proc` report no length: they may have any number of bytes.
    if (info.size === 0 || bytes.length === size && size === info.size && Number(mtime) === Number(info.mtime)) {
      return bytes;
    }
  } catch (cause) {
    throw cannotRead(what, cause);
  }
  throw new Error(`Cannot read ${what}: another program changed it meanwhile`);
}

function readBytes(path: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  return size > LARGE ? readOnce(path, size) : Deno.readFile(path);
}

/** Reads a file of known size into memory that is made for it. `Deno.readFile` has a large file in memory twice while it reads. */
export async function readOnce(path: string, size: number): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(size);
  let length = 0;
  for (let read; length < size && (read = await file.read(bytes.subarray(length))) !== null;) length += read;
  return bytes.subarray(0, length);
}

function noFile(what: string, { isFifo, isSocket }: Deno.FileInfo): Error {
  const kind = isFifo ? "a pipe" : isSocket ? "a socket" : "a device";
  return new Error(`Cannot read ${what}: expected a file or a folder, got ${kind}`);
}

/** Makes the error of a path that cannot be read: a sentence with the reason. The runtime's error is its cause. */
export function cannotRead(path: string, cause: unknown): Error {
  return new Error(`Cannot read ${path}: ${reason(cause)}`, { cause });
}

/** Pictures up to this side may be pixel art, which scaling blurs. */
const PIXEL_ART = 64;

/**
 * Returns a check that remembers the size of the first image, and throws for an image of another size.
 *
 * @param folder the folder of the pictures, which `data import` can bring to one size; undefined for images of other files
 * @param aligning the flags by which it aligns faces, if the images should be aligned faces: those of any sizes do not lie at one place
 */
export function sizeCheck(folder?: string, aligning?: readonly string[]): (path: string, size: Size) => void {
  let first: { path: string; size: Size } | undefined;
  return (path, size) => {
    first ??= { path, size };
    if (size.height === first.size.height && size.width === first.size.width) return;
    const expected = shapeText({ ...first.size, channels: 1 });
    const sentence = `${path} is ${
      shapeText({ ...size, channels: 1 })
    } pixels: expected ${expected}, the size of ${first.path}`;
    if (folder === undefined) throw new Error(sentence);
    const sides = [size, first.size].flatMap(({ height, width }) => [height, width]);
    const importing = (...flags: string[]) => commandLine("deno task data import", [folder, ...flags]);
    if (aligning) throw new Error(`${sentence} (${importing(...aligning)} finds faces, and aligns them in one size)`);
    const keeping = `${importing("--fit", "keep", "--background", "none")} keeps the pixels of pixel art`;
    const ways = [`${importing("--size", expected)} scales pictures to one size`];
    if (Math.max(...sides) <= PIXEL_ART) ways.unshift(keeping);
    throw new Error(`${sentence} (${ways.join("; ")})`);
  };
}

/**
 * The text of a file in UTF-8.
 *
 * @param what names the file in the error
 * @throws {Error} if it is UTF-16, which programs of Windows write where they say Unicode
 */
export function textOf(bytes: Uint8Array, what: string): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Error(`${what} is UTF-16: save it as UTF-8`);
  }
  return new TextDecoder().decode(bytes);
}
