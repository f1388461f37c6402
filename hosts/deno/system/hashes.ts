/** SHA-256 of bytes and of files. */

/** What has more bytes should be in memory only once. A million digits have 784 MB. */
export const LARGE = 2 ** 26;

/** Whether a value is a SHA-256 in hexadecimal. */
export function isSum(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

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

/** The SHA-256 of a file, which is in memory piece by piece: a file of a few bytes on the disk may say that it has gigabytes. */
export async function sha256OfFile(path: string): Promise<string> {
  const { createHash } = await import("node:crypto"), hash = createHash("sha256");
  using file = await Deno.open(path);
  const piece = new Uint8Array(2 ** 20);
  for (let read = await file.read(piece); read !== null; read = await file.read(piece)) {
    hash.update(piece.subarray(0, read));
  }
  return hash.digest("hex");
}
