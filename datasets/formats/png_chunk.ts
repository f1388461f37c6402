import { crc32 } from "./crc32.ts";

/** A chunk of a PNG: its length, type, content and checksum. */
export function chunk(type: string, content: Uint8Array = new Uint8Array()): Uint8Array {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(content, 8);
  view.setUint32(content.length + 8, crc32(bytes.subarray(4, content.length + 8)));
  return bytes;
}
