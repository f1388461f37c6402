/**
 * Parts that several processes write into one folder, each without a lock: every file gets its name when it is whole, and a part
 * that is written twice is the same bytes twice. For engines that hand out parts to workers.
 */
import { join } from "node:path";
import { assembleManifest, type Manifest, totalsOf } from "../../../pipelines/shards/manifest.ts";
import { fingerprint, makePart, type PartedRun, type PartEntry } from "../../../pipelines/shards/part.ts";
import { type NumberRange, rangeText } from "../../../pipelines/shards/ranges.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { namesIn } from "../system/entries.ts";
import { sha256 } from "../system/hashes.ts";
import { programCode } from "../folders/program_code.ts";
import { writeAtomically } from "../system/write_atomically.ts";
import { UNFINISHED, WORK } from "../folders/folder_lock.ts";
import { newRecord, readRecord, RECORD, recordText, type RunState } from "../folders/folder_record.ts";
import { inspectFolder, isPartsRecord, type PartsAbout, type PartsRecord } from "./inspect_folder.ts";
import { writing } from "../folders/out_folder.ts";
import { infoOf, obstacle, removeEmpty } from "../folders/paths_below.ts";
import { setForeignFilesAside, setForeignPartsAside } from "./foreign_parts.ts";
import { manifestFiles } from "./manifest_files.ts";
import { inSpan } from "./telemetry.ts";

/**
 * Makes a part and writes its files, the entry last: a part is there if its entry is.
 *
 * @param folder the folder of the run by its real path: nothing is written where a link has taken its place
 * @param batch which time it is that parts are handed out, as the record said when the part was taken; undefined if it said nothing
 * @returns its entry; undefined if the runner was stopped
 * @throws {Error} if the run has ended in the meantime, or parts were handed out anew: a late part changes no folder
 */
export async function writePart(
  runner: Runner,
  run: PartedRun,
  range: NumberRange,
  folder: string,
  batch?: string,
): Promise<PartEntry | undefined> {
  return await inSpan("part", { ...range, folder }, async () => {
    const part = await makePart(runner, run, range);
    const check = async () => {
      await checkNoLink(folder);
      const record = await readRecord(folder);
      if (isPartsRecord(record) && record.state === "running" && record.toMake?.batch === batch) return;
      throw new Error(`Dropped ${rangeText(range)} of ${folder}, made too late: its run has ended or began anew`);
    };
    for (const [name, bytes] of part?.files ?? []) {
      await check(); // before a folder is made that somebody has removed
      await write(folder, name, bytes, { batch, check });
    }
    return part?.entry;
  });
}

/**
 * Writes the record of a folder whose parts are about to be written. It says what `verify` and `synth --resume` need. What others
 * have not finished that was handed out before disappears, so that it gets no name any more.
 */
export async function beginParts(folder: string, about: PartsAbout): Promise<void> {
  await writeRecord(folder, about, "running", {});
  await removeUnfinished(folder, about.toMake?.batch);
}

/** A run that has come to its end. */
export interface EndedParts {
  readonly manifest: Manifest;
  /** Files that did not belong to the run: they were set aside. */
  readonly aside: readonly string[];
}

/**
 * Checks that a folder holds every image once and every file as it was written, sets aside what is no part of the run, and writes the
 * manifest and the record.
 *
 * @param check is called before anything is written, and before each file gets its name
 * @throws {Error} if something is missing, double or broken, or if `check` throws
 */
export async function endParts(
  folder: string,
  about: PartsAbout,
  check?: () => Promise<void>,
): Promise<EndedParts> {
  const inspected = await inspectFolder(folder), { parts } = inspected;
  const broken = inspected.broken.find(({ isForeign }) => !isForeign);
  if (broken) throw new Error(`Cannot end ${folder}: ${broken.name} ${broken.why}`);
  const entries = parts.map(({ entry }) => entry);
  const manifest = assembleManifest(about.settings, await fingerprint(about.settings, sha256), entries);
  await check?.();
  const aside = await setForeignPartsAside(inspected);
  aside.push(...await setForeignFilesAside(folder, entries, about.settings));
  const sums = parts.flatMap(({ entry, name, sha256 }) => [...Object.entries(entry.files), [name, sha256] as const]);
  for (const [name, bytes] of manifestFiles(manifest)) {
    await write(folder, name, bytes, { check });
    sums.push([name, await sha256(bytes)]);
  }
  const files = Object.fromEntries(sums);
  const done = { ...about, finished: manifest.count, ...totalsOf(entries) };
  await writeRecord(folder, done, "complete", files, { check });
  await removeUnfinished(folder);
  await removeEmpty([join(folder, WORK)]);
  return { manifest, aside };
}

async function writeRecord(
  folder: string,
  about: PartsAbout,
  state: RunState,
  files: PartsRecord["files"],
  turn?: Turn,
) {
  const record = await newRecord({ code: await programCode(), command: "synth", state, files }, about);
  await write(folder, RECORD, new TextEncoder().encode(recordText(record)), turn);
}

/**
 * Checks that the real path of a folder still leads to itself.
 *
 * @throws {Error} if a link has taken the place of the folder, or of one on the way to it
 */
export async function checkNoLink(folder: string): Promise<void> {
  const real = await Deno.realPath(folder).catch(() => folder); // a folder that was removed is reported by what writes to it
  if (real !== folder) {
    throw new Error(`Cannot write to ${folder}: it was a folder, and now leads to ${real} by a link`);
  }
}

/** Which time it is that parts are handed out, and what throws if a file of it must not get its name. */
interface Turn {
  readonly batch?: string;
  readonly check?: () => Promise<void>;
}

/** Writes a file of a run. Until it is whole it lies in the working folder: no reader takes it for a part, also if this is killed. */
async function write(folder: string, name: string, bytes: Uint8Array, { batch, check }: Turn = {}): Promise<void> {
  const unfinished = `${WORK}/${batch === undefined ? "" : `${batch}-`}${crypto.randomUUID()}.part`;
  for (const path of [name, unfinished]) {
    // A link would lead out of the folder.
    const link = obstacle(folder, path);
    if (link) throw new Error(`Cannot write to ${folder}: ${link} is a link or a file: expected a folder, or nothing`);
  }
  await writing(folder, writeAtomically(join(folder, name), bytes, join(folder, unfinished), check));
}

/** Removes what killed or late processes left unfinished, except files of a batch. */
async function removeUnfinished(folder: string, batch?: string): Promise<void> {
  if (!infoOf(folder, WORK)?.isDirectory) return;
  const work = join(folder, WORK), names = await namesIn(work);
  const left = names.filter((name) => UNFINISHED.test(name) && (batch === undefined || !name.startsWith(batch)));
  for (const name of left) await Deno.remove(join(work, name)).catch(() => {});
}
