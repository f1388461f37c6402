/**
 * Signatures of jobs: HMAC with SHA-256 by a key that the command and its workers have, and the queue does not. Without
 * the key, nobody who writes to the queue can add a job that a worker takes.
 */
import { isSum } from "../system/hashes.ts";
import { readSmallFile } from "../system/small_file.ts";
import type { EndJob, PartJob } from "./jobs.ts";

/** The algorithm. */
const HMAC = { name: "HMAC", hash: "SHA-256" } as const;
/** Characters of a key, at least: 32 digits in hexadecimal are 128 bits. */
const SHORTEST = 32;

/**
 * Reads a key: all characters of a file but the space around them.
 *
 * @throws {Error} if it cannot be read, or is too short
 */
export async function readEngineKey(path: string): Promise<CryptoKey> {
  const text = (await readSmallFile(path, `use --engine-key ${path}`)).trim();
  // HMAC takes a key of bytes that are zero for an empty one.
  if (text.length < SHORTEST || /\p{Cc}/u.test(text)) {
    throw new Error(
      `Cannot use --engine-key ${path}: expected ${SHORTEST} printable characters or more, such as "openssl rand -hex 32" writes`,
    );
  }
  return await crypto.subtle.importKey("raw", new TextEncoder().encode(text), HMAC, false, ["sign", "verify"]);
}

/** Returns a job with its signature; without a key the job as it is. */
export async function signedJob<Job extends EndJob | PartJob>(
  job: Job,
  key: CryptoKey | undefined,
): Promise<Job & { readonly signature?: string }> {
  if (!key) return job;
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(job));
  return { ...job, signature: new Uint8Array(signature).toHex() };
}

/** Whether a signature is that of a job. */
export async function isSignedJob(job: EndJob | PartJob, signature: unknown, key: CryptoKey): Promise<boolean> {
  if (!isSum(signature)) return false;
  return await crypto.subtle.verify("HMAC", key, Uint8Array.fromHex(signature), signedBytes(job));
}

/** All that a job says, in one order. */
function signedBytes(job: EndJob | PartJob): Uint8Array<ArrayBuffer> {
  const { format, program, folder, settings } = job, common = [format, program, folder, settings];
  const part = "pack" in job
    ? [job.first, job.end, job.partSize, job.pack.from, job.pack.bytes, job.pack.sha256]
    : ["end"];
  return new TextEncoder().encode(JSON.stringify([...common, ...part]));
}
