/** Finds the parts of a run that is to be resumed. */
import { join } from "node:path";
import type { Settings } from "../../../pipelines/shards/settings.ts";
import { sumsIn, WORK } from "../folders/folder_lock.ts";
import { readRecord } from "../folders/folder_record.ts";
import { type InspectedFolder, inspectFolder, isPartsRecord } from "./inspect_folder.ts";
import { resumeText } from "./run_differences.ts";

/**
 * Inspects the folder of a run that is to be resumed; undefined if there is none yet.
 *
 * @throws {Error} if it has other settings
 */
export async function partsBefore(folder: string, settings: Settings): Promise<InspectedFolder | undefined> {
  const record = await readRecord(folder);
  if (!record) return undefined;
  const why = isPartsRecord(record)
    ? resumeText(folder, record.settings, settings)
    : "expected a run in parts, got another folder of results; leave out --resume";
  if (why !== undefined) throw new Error(`Cannot resume in ${folder}: ${why}`);
  const inspected = await inspectFolder(folder), sums = await sumsIn(join(folder, WORK));
  // What the killed command noted is believed rather than the entry of a part, which somebody may have changed with its files.
  const parts = inspected.parts.filter(({ name, sha256, entry }) => {
    return [[name, sha256], ...Object.entries(entry.files)].every(([name, sum]) =>
      sums.get(name)?.includes(sum) ?? true
    );
  });
  return { ...inspected, parts };
}
