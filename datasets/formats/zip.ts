/** ZIP files: what their directory says of each file, and the content of one. */
import { strFromU8 } from "fflate";
import { crc32 } from "./crc32.ts";
import { inflateAtMost } from "./inflate.ts";

/** A file in a ZIP file, as the directory describes it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes of its content. */
  readonly size: number;
  readonly crc32: number;
  readonly method: number;
  /** Its bytes in the ZIP file. */
  readonly packed: Uint8Array;
}

/** What each part of a ZIP file begins with. */
const LOCAL = 0x04034b50, ENTRY = 0x02014b50, END = 0x06054b50, END_64 = 0x06064b50, LOCATOR_64 = 0x07064b50;
/** Bytes of the fixed part of each. */
const LOCAL_LENGTH = 30, ENTRY_LENGTH = 46, END_LENGTH = 22, LOCATOR_LENGTH = 20;
/** The longest comment behind the end. */
const LONGEST_COMMENT = 65535;
/** The flags of an entry: encrypted, and named in UTF-8. */
const ENCRYPTED = 1, UTF8 = 2048;
/** The entry of large sizes, and the size that says to look there. */
const SIZES_64 = 1, IN_SIZES_64 = 0xffffffff;
const STORED = 0, DEFLATED = 8;

/**
 * Reads the directory of a ZIP file, entry by entry. There are no more than its bytes hold, however many it claims.
 *
 * @throws {RangeError} if it leads out of the file; {Error} if it is none
 */
export function* zipEntries(bytes: Uint8Array): Generator<ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), end = endOf(view);
  let count = view.getUint16(end + 8, true), at = view.getUint32(end + 16, true);
  const locator = end - LOCATOR_LENGTH;
  if (locator >= 0 && view.getUint32(locator, true) === LOCATOR_64) {
    const end64 = view.getUint32(locator + 8, true);
    expect(view, end64, END_64);
    [count, at] = [view.getUint32(end64 + 32, true), view.getUint32(end64 + 48, true)];
  }
  for (let n = 0; n < count; n++) {
    expect(view, at, ENTRY);
    yield entryAt(bytes, view, at);
    at += ENTRY_LENGTH + [28, 30, 32].reduce((sum, field) => sum + view.getUint16(at + field, true), 0);
  }
}

function endOf(view: DataView): number {
  const last = view.byteLength - END_LENGTH;
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at--) if (view.getUint32(at, true) === END) return at;
  throw new Error("expected a directory at the end, got none");
}

function expect(view: DataView, at: number, signature: number): void {
  if (view.getUint32(at, true) !== signature) throw new Error("its directory leads to other data");
}

function entryAt(bytes: Uint8Array, view: DataView, at: number): ZipEntry {
  const flags = view.getUint16(at + 8, true), nameLength = view.getUint16(at + 28, true), from = at + ENTRY_LENGTH;
  if (flags & ENCRYPTED) throw new Error("expected files without a password, got one with it");
  const name = strFromU8(bytes.subarray(from, from + nameLength), !(flags & UTF8));
  const extra = { from: from + nameLength, length: view.getUint16(at + 30, true) };
  const [size, packedSize, local] = sizesOf(view, [at + 24, at + 20, at + 42], extra);
  expect(view, local, LOCAL);
  const data = local + LOCAL_LENGTH + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
  const packed = bytes.subarray(data, data + packedSize);
  return { name, size, crc32: view.getUint32(at + 16, true), method: view.getUint16(at + 10, true), packed };
}

/** Reads sizes of four bytes each. Those that need more are in an extra field, in the same order. */
function sizesOf(view: DataView, at: readonly number[], extra: { from: number; length: number }): number[] {
  const sizes = at.map((field) => view.getUint32(field, true));
  for (let field = extra.from; field < extra.from + extra.length; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== SIZES_64) continue;
    let next = field + 4;
    return sizes.map((size) => {
      if (size !== IN_SIZES_64) return size;
      next += 8;
      return view.getUint32(next - 8, true) + 2 ** 32 * view.getUint32(next - 4, true);
    });
  }
  return sizes;
}

/**
 * Returns the content of a file in a ZIP file. What would become longer than the directory says is not decompressed any further.
 *
 * @throws {Error} that says what is wrong if it is damaged
 */
export function zipContent({ size, crc32: sum, method, packed }: ZipEntry): Uint8Array {
  if (method !== STORED && method !== DEFLATED) throw new Error(`expected method 0 or 8, got ${method}`);
  const content = method === STORED ? packed : inflateAtMost(packed, size);
  if (content.length !== size) throw new Error(`expected ${size} bytes, got ${content.length}`);
  if (crc32(content) !== sum) throw new Error("its CRC-32 is not that of its bytes");
  return content;
}
