/** Signs the digest of a run, so that others can check who confirmed it: Ed25519 (RFC 8032), as OpenSSL writes its keys. */
import { readSmallFile } from "../system/small_file.ts";

/** The kinds of keys: those that sign, and those that check. */
const KEYS = {
  sign: { label: "PRIVATE KEY", format: "pkcs8", made: "openssl genpkey -algorithm ed25519 -out key.pem" },
  verify: { label: "PUBLIC KEY", format: "spki", made: "openssl pkey -in key.pem -pubout -out public.pem" },
} as const;

/** What is signed: the digest as it is printed. */
function signedText(digest: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`sha256:${digest}`);
}

/**
 * Signs a digest.
 *
 * @param keyFile the path of a private key (PEM)
 * @returns the 64 bytes of the signature in Base64
 * @throws {Error} if the file holds no such key
 */
export async function signDigest(digest: string, keyFile: string): Promise<string> {
  const key = await readKey(keyFile, "sign");
  return new Uint8Array(await crypto.subtle.sign("Ed25519", key, signedText(digest))).toBase64();
}

/**
 * Says whether a signature is that of a digest.
 *
 * @param keyFile the path of a public key (PEM)
 * @param signatureFile the path of what `signDigest` returned
 * @throws {Error} if the files hold no such key and no signature
 */
export async function isSigned(digest: string, keyFile: string, signatureFile: string): Promise<boolean> {
  const key = await readKey(keyFile, "verify"), text = (await readSmallFile(signatureFile)).trim();
  const signature = decoded(text);
  if (signature?.length !== 64) throw new Error(`Cannot read ${signatureFile}: expected a signature in Base64`);
  return await crypto.subtle.verify("Ed25519", key, signature, signedText(digest));
}

async function readKey(path: string, usage: keyof typeof KEYS): Promise<CryptoKey> {
  const { label, format, made } = KEYS[usage];
  const [, base64] = new RegExp(`-----BEGIN ${label}-----([^-]+)-----END ${label}-----`).exec(
    await readSmallFile(path),
  ) ?? [];
  const bytes = base64 === undefined ? undefined : decoded(base64.replace(/\s/g, ""));
  if (usage === "verify" && bytes && isWeak(bytes.subarray(-POINT_BYTES))) {
    throw new Error(`Cannot use ${path}: a signature by this key would fit other texts, too`);
  }
  try {
    return await crypto.subtle.importKey(format, bytes!, "Ed25519", false, [usage]);
  } catch {
    throw new Error(`Cannot read ${path}: expected an Ed25519 key in PEM, such as "${made}" writes`);
  }
}

/** Bytes of a point of the curve; a public key ends with one. */
const POINT_BYTES = 32;
/** The prime of the field of Ed25519 (RFC 8032). */
const PRIME = 2n ** 255n - 19n;
/** The y of the points whose order divides 8, the cofactor of Ed25519: the identity, those of order 2 and 4, and those of order 8. */
const SMALL_ORDER = new Set([
  1n,
  PRIME - 1n,
  0n,
  0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
]);

/** Whether a public key is a point of small order, for which one signature fits many texts, or is not written in the one way of RFC 8032. */
function isWeak(point: Uint8Array): boolean {
  const y = BigInt(`0x${point.toReversed().toHex() || "0"}`) & (2n ** 255n - 1n);
  return y >= PRIME || SMALL_ORDER.has(y);
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined;
  }
}
