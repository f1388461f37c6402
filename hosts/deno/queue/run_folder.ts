/** The folder of a run that workers write. */
import { join, resolve } from "node:path";
import { fingerprint } from "../../../pipelines/shards/part.ts";
import { sha256 } from "../system/hashes.ts";
import { readRecord, RECORD } from "../folders/folder_record.ts";
import { isBelow } from "../folders/paths_below.ts";
import { isPartsRecord, isPartToMake, type PartsRecord, type PartsToMake } from "../runs/inspect_folder.ts";
import { type PartJob, Refused, Unsuited } from "./jobs.ts";
import { rangeText } from "../../../pipelines/shards/ranges.ts";

/**
 * Reads the record of a run.
 *
 * @param settings the SHA-256 that its settings should have
 * @throws {Error} if it is not there, as on a machine that does not share the folder
 * @throws {Refused} if it is the record of another run
 */
export async function readRunOf(folder: string, settings: string): Promise<PartsRecord> {
  const info = await Deno.lstat(join(folder, RECORD)).catch(() => undefined);
  if (info && info.size > LARGEST_RECORD) throw new Refused(`Cannot work for ${folder}: its run.json is too large`);
  const record = await readRecord(folder);
  if (!record) {
    throw new Error(`Cannot read ${join(folder, RECORD)}: expected the folder of the run, which all machines share`);
  }
  if (!isPartsRecord(record) || await fingerprint(record.settings, sha256) !== settings) {
    throw new Refused(`Cannot work for ${folder}: its run.json is of another run than the job`);
  }
  return record;
}

/** Bytes of pixels of a part, at most, and of `run.json` of a run of at most 10,000 parts. */
export const LARGEST_PART = 2 ** 28;
const LARGEST_RECORD = 2 ** 28;

/**
 * Checks that a job is one of those that the command has added which began the run. Returns what that command hands out.
 *
 * @throws {Refused} if it is another one, or more than a worker has memory for
 */
export function checkOwnPart(
  job: PartJob,
  { toMake, settings: { shape: [width, height, channels] } }: PartsRecord,
): PartsToMake {
  if (!toMake || job.partSize !== toMake.partSize || !isPartToMake(job, toMake)) {
    throw new Refused(`Cannot make ${rangeText(job)} of ${job.folder}: expected one of the parts of its run`);
  }
  const images = Math.min(
    toMake.partSize,
    toMake.ranges.reduce((most, { first, end }) => Math.max(most, end - first), 0),
  );
  if (!(images * width * height * channels <= LARGEST_PART)) {
    throw new Refused(`Cannot make parts of ${job.folder}: expected at most ${LARGEST_PART} bytes of pixels`);
  }
  return toMake;
}

/**
 * Finds where a path leads, links followed. Nothing there is opened.
 *
 * @throws {Unsuited} unless it is below one of the folders that this worker may use: others have other folders, to which a link may lead
 */
export async function within(path: string, folders: readonly string[]): Promise<string> {
  const real = await Deno.realPath(path).catch(() => resolve(path));
  if (folders.some((folder) => real === folder || isBelow(real, folder))) return real;
  throw new Unsuited(`Cannot use ${path}: expected a path below ${folders.join(" or ")} (--folder of the worker)`);
}
