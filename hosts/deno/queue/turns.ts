/**
 * Whose turn it is to hand out the parts of a run. Workers may suit only jobs that are signed with one key, or that name one place of
 * the pack: of commands whose jobs differ in that, the one that began last hands out all parts.
 */
import { join } from "node:path";
import { openWorkFolder, WORK } from "../folders/folder_lock.ts";
import { readRecord } from "../folders/folder_record.ts";
import { writing } from "../folders/out_folder.ts";
import { isPartsRecord, type PartsToMake } from "../runs/inspect_folder.ts";
import { sha256 } from "../system/hashes.ts";
import type { EndJob, PartJob } from "./jobs.ts";

/** How the jobs of another command differ from those of this one. */
export const OTHERWISE = "with another key or another place of the pack";

/** The turns of a run, as one command sees them. */
export interface Turns {
  /** The SHA-256 of what its jobs have in common. */
  readonly jobs: string;
  /** Whether the parts were handed out last by equal jobs. */
  isSame(): Promise<boolean>;
  /**
   * Checks that this command may hand out the parts.
   *
   * @throws {Error} if another one has done so by other jobs since this one looked last
   */
  check(): Promise<void>;
  /** This command has handed them out. */
  taken(batch: string): void;
}

/**
 * Looks at the turns of a run.
 *
 * @param end a job with its signature, which tells keys apart
 */
export async function openTurns(
  out: string,
  end: EndJob & { readonly signature?: string },
  pack: PartJob["pack"],
): Promise<Turns> {
  const jobs = await sha256(new TextEncoder().encode(JSON.stringify([end, pack])));
  let batch = (await toMakeIn(out))?.batch;
  return {
    jobs,
    isSame: async () => (await toMakeIn(out))?.jobs === jobs,
    async check() {
      const last = await toMakeIn(out);
      if (!last || last.batch === batch || last.jobs === jobs) return;
      throw new Error(`Cannot hand out the parts of ${out} again: another command did so meanwhile ${OTHERWISE}`);
    },
    taken: (own) => batch = own,
  };
}

/** What a folder says of the parts that were handed out last. */
async function toMakeIn(out: string): Promise<PartsToMake | undefined> {
  const record = await readRecord(out);
  return isPartsRecord(record) ? record.toMake : undefined;
}

/**
 * Does something to a folder while no other command may write to it.
 *
 * @throws {Error} if another one does
 */
export async function alone<T>(out: string, change: () => Promise<T>): Promise<T> {
  const work = await writing(`--out ${out}`, openWorkFolder(join(out, WORK)));
  try {
    return await change();
  } finally {
    await work.close(true);
  }
}
