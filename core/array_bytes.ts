/** Bytes of several arrays, for caches and files. */
import type { KernelMemory } from "./kernels.ts";

/** Puts bytes one after another. */
export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) all.set(part, (at += part.length) - part.length);
  return all;
}

/** Everything that a kept result depends on, except the code: a text, then bytes. */
export function cacheKey(head: string, ...bytes: readonly Uint8Array[]): Uint8Array {
  return joinedBytes([new TextEncoder().encode(head), ...bytes]);
}

/** Each array begins at a multiple of so many bytes: those of an f64. */
const ALIGNMENT = 8;

/** Where arrays are, in front of them as JSON. */
interface Placed {
  readonly head: unknown;
  /** Bytes of each array. */
  readonly lengths: readonly number[];
}

/**
 * Writes arrays as bytes, after what is said of them.
 *
 * @param head a value of JSON
 */
export function encodeArrays(head: unknown, arrays: readonly ArrayBufferView[]): Uint8Array {
  const placed: Placed = { head, lengths: arrays.map(({ byteLength }) => byteLength) };
  const text = new TextEncoder().encode(JSON.stringify(placed));
  const length = new Uint8Array(ALIGNMENT), parts = [length, text, ...arrays.map(bytesOf)];
  new DataView(length.buffer).setUint32(0, text.length, true);
  return joinedBytes(parts.flatMap((part) => [part, new Uint8Array(-part.length & (ALIGNMENT - 1))]));
}

/** Reads what `encodeArrays` wrote: what is said of the arrays, and the bytes of each, which are parts of `bytes`. */
export function decodeArrays(bytes: Uint8Array): { readonly head: unknown; readonly arrays: readonly Uint8Array[] } {
  let at = ALIGNMENT;
  const taken = (length: number) => {
    const part = bytes.subarray(at, at + length);
    at += Math.ceil(length / ALIGNMENT) * ALIGNMENT;
    return part;
  };
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = taken(length).slice(); // not all hosts decode text in shared memory
  const { head, lengths } = JSON.parse(new TextDecoder().decode(text)) as Placed;
  return { head, arrays: lengths.map(taken) };
}

/** Copies bytes. They go into shared memory if the kernels' memory is shared: then posting them copies nothing. */
export function postable({ memory }: Pick<KernelMemory, "memory">, bytes: Uint8Array): Uint8Array {
  const isShared = typeof SharedArrayBuffer !== "undefined" && memory.buffer instanceof SharedArrayBuffer;
  const copy = new Uint8Array(isShared ? new SharedArrayBuffer(bytes.length) : new ArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
