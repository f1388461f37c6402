/**
 * IDX, the file format of MNIST: two zero bytes, a type, the number of dimensions, each dimension as a big-endian uint32,
 * then the data. Only unsigned bytes are read and written here.
 */
import { LARGEST_SIDE } from "../../core/shape.ts";
import type { Images } from "../../core/types.ts";
import { mostExpanded } from "./expansion.ts";

/** The content of an IDX file. */
export interface Idx {
  /** One to three dimensions, the slowest first: images are (count, height, width), labels (count). */
  readonly dims: number[];
  /** As many bytes as the product of `dims`; a view of the file's bytes, not a copy. */
  readonly data: Uint8Array;
}

const UNSIGNED_BYTE = 8;
const TYPE_NAMES: Readonly<Record<number, string>> = {
  9: "signed bytes",
  11: "16-bit integers",
  12: "32-bit integers",
  13: "32-bit floats",
  14: "64-bit floats",
};
/** The longest header: three dimensions. */
const LONGEST_HEADER = 16;
/** The most bytes of content: with a profile's pyramid beside it, more would not fit into the memory of kernels. */
const LARGEST_CONTENT = 2 ** 30;
/** Bytes that are decompressed at a time: they become 17 MB at most. */
const SLICE = 1 << 14;
/** Deflate compresses at most so many times. */
const MAX_EXPANSION = 1032;
/** The most images or labels: as many 32x32 images as the 4 GiB of the kernels' memory hold. */
const MAX_ENTRIES = 2 ** 22;

/**
 * Reads an IDX file. It allocates nothing: a header that claims more than the file holds costs an error, not memory.
 *
 * @param what names the file in errors
 * @throws one sentence if the bytes are not an IDX file of unsigned bytes, or it is empty, too short or too long
 */
export function parseIdx(bytes: Uint8Array, what: string): Idx {
  const { dims, header, length: expected, things } = parseHeader(bytes, what);
  const found = bytes.length - header;
  if (found < expected) throw new Error(`${what} is cut off: expected ${expected} bytes of ${things}, got ${found}`);
  if (found > expected) throw new Error(`${what} is too long: expected ${expected} bytes of ${things}, got ${found}`);
  return { dims, data: bytes.subarray(header) };
}

/** Reads the header: the dimensions, its own length, that of the data, and what the data are called in errors. */
function parseHeader(bytes: Uint8Array, what: string) {
  if (bytes.length > 0 && bytes.length < 4 && [0, 0, UNSIGNED_BYTE].every((byte, i) => (bytes[i] ?? byte) === byte)) {
    throw new Error(`${what} is cut off: expected a header of 8 bytes or more, got ${bytes.length}`);
  }
  if (bytes.length < 4 || bytes[0] !== 0 || bytes[1] !== 0) {
    const found = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    throw new Error(`${what} is not an IDX file: expected it to begin with 00 00 08, got ${found || "no bytes"}`);
  }
  const [, , type, rank] = bytes;
  if (type !== UNSIGNED_BYTE) {
    throw new Error(`${what}: expected unsigned bytes (type 8), got ${TYPE_NAMES[type] ?? "unknown"} (type ${type})`);
  }
  if (rank < 1 || rank > 3) throw new Error(`${what}: expected 1 to 3 dimensions, got ${rank}`);
  const header = 4 + 4 * rank;
  if (bytes.length < header) {
    throw new Error(`${what} is cut off: expected a header of ${header} bytes, got ${bytes.length}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, header);
  const dims = Array.from({ length: rank }, (_, i) => view.getUint32(4 + 4 * i));
  const things = rank === 1 ? "labels" : rank === 2 ? "values" : "pixels";
  if (dims[0] === 0) {
    throw new Error(`${what} is empty: expected at least one ${rank === 3 ? "image" : "entry"}, got 0`);
  }
  // Larger images are taken for a damaged header.
  const absurd = dims.slice(1).find((side) => side < 1 || side > LARGEST_SIDE);
  if (absurd !== undefined) throw new Error(`${what}: expected sides of 1 to ${LARGEST_SIDE} pixels, got ${absurd}`);
  if (dims[0] > MAX_ENTRIES) {
    throw new Error(`${what}: expected at most ${MAX_ENTRIES} ${rank === 3 ? "images" : "entries"}, got ${dims[0]}`);
  }
  return { dims, header, length: dims.reduce((product, dim) => product * dim), things };
}

/** The images of an IDX file of three dimensions. Throws as `parseIdx` does, and for other dimensions. */
export function imagesFromIdx(bytes: Uint8Array, what: string): Images {
  const { dims, data } = parseIdx(bytes, what);
  if (dims.length !== 3) {
    throw new Error(`${what} holds no images: expected 3 dimensions (count, height, width), got ${dims.length}`);
  }
  const [count, height, width] = dims;
  return { count, height, width, pixels: data };
}

/**
 * The labels of an IDX file of one dimension, 0..255. Throws as `parseIdx` does, and for other dimensions.
 *
 * @param images how many images the labels are for
 */
export function labelsFromIdx(bytes: Uint8Array, what: string, images: number): Uint8Array {
  const { dims, data } = parseIdx(bytes, what);
  if (dims.length !== 1) throw new Error(`${what} holds no labels: expected 1 dimension, got ${dims.length}`);
  if (dims[0] !== images) throw new Error(`${what}: expected ${images} labels, one an image, got ${dims[0]}`);
  return data;
}

/** The bytes of an IDX file. Throws a RangeError unless `data` has as many bytes as the product of `dims`. */
export function writeIdx(dims: readonly number[], data: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = dims.reduce((product, dim) => product * dim, 1);
  if (dims.length < 1 || dims.length > 3 || data.length !== length) {
    throw new RangeError(`Cannot write an IDX file of ${dims.join("x")}: expected ${length} bytes, got ${data.length}`);
  }
  const bytes = new Uint8Array(4 + 4 * dims.length + data.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0, 0, UNSIGNED_BYTE, dims.length]);
  dims.forEach((dim, i) => view.setUint32(4 + 4 * i, dim));
  bytes.set(data, 4 + 4 * dims.length);
  return bytes;
}

/**
 * Decompresses an IDX file in gzip, and returns other bytes as they are. It detects gzip by the first bytes, not by the file's name.
 * No more is decompressed than the IDX header allows: a small malicious file may decompress to far more.
 *
 * @throws one sentence if the data is damaged, cut off, longer than its header says or too long
 */
export async function gunzip(bytes: Uint8Array, what: string): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const reader = sliced(bytes).pipeThrough(new DecompressionStream("gzip")).getReader();
  const next = () =>
    reader.read().catch((cause) => {
      throw new Error(`${what} is damaged or cut off: it cannot be decompressed as gzip`, { cause });
    });
  const chunks: Uint8Array[] = [];
  for (let length = 0; length < LONGEST_HEADER; length += chunks.at(-1)!.length) {
    const { value } = await next();
    if (!value) break;
    chunks.push(value);
  }
  const start = Uint8Array.from(chunks.flatMap((chunk) => [...chunk.subarray(0, LONGEST_HEADER)]));
  try {
    const { header, length: data, things } = parseHeader(start, what);
    const expected = header + data;
    if (expected > LARGEST_CONTENT) {
      throw new Error(`${what} is too long: expected at most ${LARGEST_CONTENT} bytes, got ${expected}`);
    }
    if (expected > bytes.length * MAX_EXPANSION) {
      throw new Error(`${what} is cut off: expected ${data} bytes of ${things}, got less`);
    }
    const most = mostExpanded(bytes.length);
    if (expected > most) {
      throw new Error(
        `${what} is too long: expected at most ${most} bytes of ${bytes.length} compressed ones, got ${data}`,
      );
    }
    const content = new Uint8Array(expected);
    let length = 0;
    for (let chunk = chunks.shift() ?? (await next()).value; chunk; chunk = chunks.shift() ?? (await next()).value) {
      if (length + chunk.length > expected) {
        throw new Error(`${what} is too long: expected ${data} bytes of ${things}, got more`);
      }
      content.set(chunk, length);
      length += chunk.length;
    }
    return content.subarray(0, length);
  } finally {
    reader.cancel().catch(() => {}); // the stream may have failed
  }
}

/** A stream of small pieces: decompression makes one chunk of each, however long that becomes. */
function sliced(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at += SLICE) as Uint8Array<ArrayBuffer>);
    },
  });
}
