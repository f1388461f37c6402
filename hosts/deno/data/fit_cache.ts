/**
 * Fits of priors, kept in the user's data folder: a file for each, its name the SHA-256 of all that the fit depends on, so that
 * nothing stale is ever read.
 */
import { basename, dirname, join } from "@std/path";
import { type FittedParts, fitText } from "../../../core/model.ts";
import { lengthOf, shapeText } from "../../../core/shape.ts";
import { sha256, writeAtomically } from "./data_folder.ts";
import type { Work } from "../workers/job.ts";

/** The kept fits of a work's prior, by the number of the training pyramid. */
export interface FitCache {
  /** What was kept, or undefined where there is nothing, or a byte of it is missing or changed. */
  read(group: number): Promise<FittedParts | undefined>;
  /** Keeps a fit, where the folder can be written; returns the same, as `read` would: in memory that workers share. */
  keep(group: number, parts: FittedParts): Promise<FittedParts>;
}

/** Opens the cache in a folder; without one nothing is kept. */
export async function fitCache(folder: string | undefined, work: Work): Promise<FitCache> {
  const code = folder && await codeHash().catch(() => undefined); // sources that may not be read have no cache
  const { name } = work.plan.prior.plugin, version = code && join(folder, "fitted", `${name}-${code}`);
  const path = async (group: number) => version && join(version, `${await fitHash(work, group)}.parts`);
  return {
    async read(group) {
      const file = await path(group);
      if (!file) return undefined;
      const bytes = await Deno.readFile(file).catch(() => undefined);
      return bytes && await decode(bytes);
    },
    async keep(group, parts) {
      const bytes = await encode(parts), file = await path(group);
      // Fitting again is slow, but no error.
      if (file) await writeAtomically(file, bytes).then(() => removeOlder(dirname(file), name)).catch(() => {});
      return (await decode(bytes))!;
    },
  };
}

/**
 * Names the code that fits: any change of it gives another hash. Code that was loaded from elsewhere than a file cannot be
 * read, but there its URL holds its version.
 */
async function codeHash(): Promise<string> {
  const parts = [import.meta.url];
  if (import.meta.url.startsWith("file:")) {
    const root = new URL("../../../", import.meta.url), urls = [new URL("deno.lock", root)];
    for (const folder of ["core/", "priors/", "priors/example/", "priors/mixture/", "plugins/contexts/", "assembly/"]) {
      for (const { name } of Deno.readDirSync(new URL(folder, root))) {
        if (name.endsWith(".ts")) urls.push(new URL(folder + name, root));
      }
    }
    const sorted = urls.map((url) => url.href).sort();
    parts.splice(0, 1, ...sorted.map((url) => Deno.readTextFileSync(new URL(url))));
  }
  return (await sha256(new TextEncoder().encode(parts.join("\0")))).slice(0, 16);
}

/** Names all else that a fit depends on: the plan and the training images. */
async function fitHash({ kernels, plan, trainings }: Work, group: number): Promise<string> {
  const [hr] = trainings[group].hr, length = hr.count * lengthOf(hr);
  const text = new TextEncoder().encode(`${fitText(plan)} ${hr.count} of ${shapeText(hr)}`);
  const bytes = new Uint8Array(text.length + length);
  bytes.set(text);
  bytes.set(kernels.u8(hr.at, length), text.length);
  return await sha256(bytes);
}

/** Removes what older code fitted. */
async function removeOlder(kept: string, name: string): Promise<void> {
  for await (const other of Deno.readDir(dirname(kept))) {
    if (other.name.startsWith(`${name}-`) && other.name !== basename(kept)) {
      await Deno.remove(join(dirname(kept), other.name), { recursive: true });
    }
  }
}

const SUM_BYTES = 64;

/** The SHA-256 of the rest, as text; u32: how many layers; of each how many parts; of each part how many bytes; the parts. */
async function encode(parts: FittedParts): Promise<Uint8Array> {
  const lengths = parts.flatMap((layer) => layer.map((bytes) => bytes.length));
  const head = Uint32Array.from([parts.length, ...parts.map((layer) => layer.length), ...lengths]);
  const first = SUM_BYTES + head.byteLength, file = new Uint8Array(lengths.reduce((sum, n) => sum + n, first));
  file.set(new Uint8Array(head.buffer), SUM_BYTES);
  let at = first;
  for (const bytes of parts.flat()) file.set(bytes, (at += bytes.length) - bytes.length);
  file.set(new TextEncoder().encode(await sha256(file.subarray(SUM_BYTES))));
  return file;
}

/** What `encode` wrote, or undefined where a byte of it is missing or changed. */
async function decode(file: Uint8Array): Promise<FittedParts | undefined> {
  if (file.length <= SUM_BYTES) return undefined;
  if (new TextDecoder().decode(file.subarray(0, SUM_BYTES)) !== await sha256(file.subarray(SUM_BYTES))) {
    return undefined;
  }
  const shared = new Uint8Array(new SharedArrayBuffer(file.length));
  shared.set(file);
  const words = new Uint32Array(shared.buffer, SUM_BYTES, Math.floor((file.length - SUM_BYTES) / 4));
  const counts = words.subarray(1, 1 + words[0]), total = counts.reduce((sum, count) => sum + count, 0);
  let next = 1 + words[0], at = SUM_BYTES + 4 * (next + total);
  return Array.from(counts, (count) => {
    return Array.from({ length: count }, () => {
      const length = words[next++];
      return shared.subarray(at, at += length);
    });
  });
}
