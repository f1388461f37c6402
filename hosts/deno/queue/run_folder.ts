/** The folder of a run that workers write. */
import { join } from "node:path";
import { fingerprint } from "../../../pipelines/shards/part.ts";
import { sha256 } from "../system/hashes.ts";
import { readRecord, RECORD } from "../folders/folder_record.ts";
import { isPartsRecord, type PartsRecord } from "../runs/inspect_folder.ts";
import type { PartsAbout } from "../runs/loose_parts.ts";
import { Refused } from "./jobs.ts";

/**
 * Reads the record of a run.
 *
 * @param settings the SHA-256 that its settings should have
 * @throws {Error} if it is not there, as on a machine that does not share the folder
 * @throws {Refused} if it is the record of another run
 */
export async function readRunOf(folder: string, settings: string): Promise<PartsRecord> {
  const record = await readRecord(folder);
  if (!record) {
    throw new Error(`Cannot read ${join(folder, RECORD)}: expected the folder of the run, which all machines share`);
  }
  if (!isPartsRecord(record) || await fingerprint(record.settings, sha256) !== settings) {
    throw new Refused(`Cannot work for ${folder}: its run.json is of another run than the job`);
  }
  return record;
}

/** All that a record said at the start of its run. */
export function aboutOf(
  { format: _, program: _p, command: _c, state: _s, files: _f, digest: _d, ...about }: PartsRecord,
): PartsAbout {
  return about;
}

/**
 * Finds where a path leads, links followed.
 *
 * @throws {Refused} unless it is below one of the folders that this worker may use
 */
export async function within(path: string, folders: readonly string[]): Promise<string> {
  const real = await Deno.realPath(path).catch(() => path);
  if (folders.some((folder) => real === folder || real.startsWith(folder.replace(/[/\\]*$/, "/")))) return real;
  throw new Refused(`Cannot use ${path}: expected a path below ${folders.join(" or ")} (--folder of the worker)`);
}
