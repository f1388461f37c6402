/** Reads tar files: their regular files, with names of any length as POSIX (pax) and GNU write them. */
import { oneLine } from "../../core/shown.ts";

/** A file in a tar file: a view of its bytes. */
export interface TarFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Bytes of a block and of a record. Programs fill up the last record; some write no end where it is full. */
const BLOCK = 512, RECORD = 20 * BLOCK;
/** The parts of a header: where they begin, and their lengths. */
const NAME = [0, 100], SIZE = [124, 12], CHECKSUM = [148, 8], TYPE = 156, MAGIC = [257, 6], PREFIX = [345, 155];
/** What a header stands for: a file, or the name of the file that follows. */
const FILES = ["0", "\0", "7"], PAX = "x", LONG_NAME = "L";

/**
 * Reads the files of a tar file. Links, folders, devices and the like are left out.
 *
 * @throws {Error} if it is damaged or cut off
 */
export function readTar(bytes: Uint8Array): TarFile[] {
  const files: TarFile[] = [];
  let given: string | undefined;
  for (let at = 0;;) {
    const header = bytes.subarray(at, at + BLOCK), type = String.fromCharCode(header[TYPE]);
    if (at > 0 && at === bytes.length && at % RECORD === 0) return files;
    // Without the end nobody knows whether files are missing.
    if (header.length < BLOCK) throw new Error("expected a block of zeros behind the last file, got the end");
    if (header.every((byte) => byte === 0)) return files;
    checkHeader(header);
    const length = lengthOf(header), from = at + BLOCK, content = bytes.subarray(from, from + length);
    if (content.length < length) throw new Error(`expected ${length} bytes of a file, got ${content.length}`);
    if (type === LONG_NAME) given = textOf(content);
    else if (type === PAX) given = paxName(content) ?? given;
    else {
      // `tar -c .` writes `./` before each name.
      const name = oneLine(given ?? nameOf(header)).replace(/^(?:\.\/)+/, "");
      if (FILES.includes(type)) files.push({ name, bytes: content });
      given = undefined;
    }
    at = from + Math.ceil(length / BLOCK) * BLOCK;
  }
}

function part(header: Uint8Array, [at, length]: readonly number[]): Uint8Array {
  return header.subarray(at, at + length);
}

/** The text up to the first zero. */
function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(bytes.slice(0, end < 0 ? bytes.length : end));
}

function octal(bytes: Uint8Array): number {
  const digits = textOf(bytes).trim();
  return /^[0-7]+$/.test(digits) ? parseInt(digits, 8) : NaN;
}

/** The checksum is the sum of a header's bytes, with spaces in its own place. */
function checkHeader(header: Uint8Array): void {
  const [from, length] = CHECKSUM, expected = octal(part(header, CHECKSUM));
  const sum = header.reduce((sum, byte, i) => sum + (i >= from && i < from + length ? 32 : byte), 0);
  if (sum !== expected) throw new Error(`expected the checksum ${expected} of a header, got ${sum}`);
}

/** The length of a file: octal digits, or a number of bytes after one with the highest bit. */
function lengthOf(header: Uint8Array): number {
  const bytes = part(header, SIZE), isBinary = bytes[0] === 128;
  const length = isBinary ? bytes.subarray(1).reduce((sum, byte) => 256 * sum + byte, 0) : octal(bytes);
  if (Number.isSafeInteger(length)) return length;
  throw new Error("expected the length of a file, got no number");
}

function nameOf(header: Uint8Array): string {
  const isPosix = textOf(part(header, MAGIC)) === "ustar", prefix = isPosix ? textOf(part(header, PREFIX)) : "";
  return prefix ? `${prefix}/${textOf(part(header, NAME))}` : textOf(part(header, NAME));
}

/** The name in a list of records `LENGTH path=NAME`, if there is one. */
function paxName(content: Uint8Array): string | undefined {
  return /^\d+ path=(.*)$/m.exec(new TextDecoder().decode(content.slice()))?.[1];
}
