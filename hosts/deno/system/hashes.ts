/** SHA-256 of bytes. */

/** What has more bytes should be in memory only once. A million digits have 784 MB. */
export const LARGE = 2 ** 26;

/** The SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  if (bytes.length > LARGE) return await sha256OfPieces(bytes, LARGE);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toHex();
}

/** Does the same without a copy of the bytes, which Web Crypto makes; `step` bytes at a time, so that signals are handled. */
export async function sha256OfPieces(bytes: Uint8Array, step: number): Promise<string> {
  const { createHash } = await import("node:crypto"), hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += step) {
    hash.update(bytes.subarray(at, at + step));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return hash.digest("hex");
}
