/** Base64 (RFC 4648), by `btoa` and `atob`: older engines have no `Uint8Array.prototype.toBase64`, and no `transfer` as @std/encoding needs. */

/** As many arguments as every engine takes in one call. */
const BLOCK = 0x2000;

/** Writes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += BLOCK) text += String.fromCharCode(...bytes.subarray(i, i + BLOCK));
  return btoa(text);
}

/**
 * Reads base64.
 *
 * @throws {DOMException} if the text is no base64
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
