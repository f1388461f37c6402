/** Reads the `run.json` of a run that is to be made again, and says what differs. */
import { join } from "@std/path";
import type { Profile } from "../../../core/profile.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { reason } from "../cli/reason.ts";
import { type FolderRecord, FORMAT, isRecord, PROGRAM, RECORD } from "./folder_record.ts";
import { isAddress, isPageRun, type PageAddress, type PageRun, readAddress } from "./page_run.ts";

/** The record of a run of `synth`, as far as the same images are made from it. */
export interface RunRecord extends FolderRecord {
  /** The profile with all changes of the flags. */
  readonly profile: Profile;
  /** The flags of the run that are not in the profile. */
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly data: { readonly files: DataSet["files"] };
  readonly kernels: { readonly sha256: string };
}

/**
 * Reads the record of a run, or an address of the page.
 *
 * @param path `run.json`, the folder that it lies in, or an address of the page with its choices after `#`
 * @throws {Error} if it cannot be read, or if it is not the record of the page, or of a run of `synth` that has ended
 */
export async function readRun(path: string): Promise<RunRecord | PageRun | PageAddress> {
  if (isAddress(path)) return readAddress(path);
  const isFolder = await Deno.stat(path).then(({ isDirectory }) => isDirectory, () => false);
  const file = isFolder ? join(path, RECORD) : path;
  const text = await Deno.readTextFile(file).catch((cause) => {
    throw new Error(`Cannot read --run ${file}: ${reason(cause)}`, { cause });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`Cannot repeat ${file}, which is not JSON`, { cause });
  }
  if (isPageRun(value)) return value;
  const isObject = (value: unknown) => typeof value === "object" && value !== null;
  const record = (isObject(value) ? value : {}) as Partial<RunRecord>;
  const isRun = isRecord(value) && ["synth", "merge"].includes(value.command);
  if (!isRun || !isObject(record.profile) || !isObject(record.flags)) {
    throw new Error(`Cannot repeat ${file}: expected a run of synth in the format ${FORMAT}`);
  }
  const isData = Array.isArray(record.data?.files) && record.data.files.every((one) => typeof one?.sha256 === "string");
  // Of a run in parts, the record says all from the start.
  const isReadable = record.state !== "running" || "settings" in record;
  if (!isReadable || !isData || typeof record.kernels?.sha256 !== "string") {
    throw new Error(
      `Cannot repeat ${file}: expected a complete or stopped run, got one that was killed or is still running`,
    );
  }
  return record as RunRecord;
}

/**
 * Checks that data is what a run was made from.
 *
 * @throws {Error} if a file differs
 */
export function checkSameData({ files: before }: RunRecord["data"], { name, files }: DataSet): void {
  const sums = (some: DataSet["files"]) => some.map(({ sha256 }) => sha256).sort();
  const old = sums(before), now = sums(files);
  if (old.length === now.length && old.every((sum, i) => sum === now[i])) return;
  const other = files.find(({ sha256 }) => !old.includes(sha256))?.path ?? `${files.length} files`;
  throw new Error(
    `Cannot repeat the run: its data differs from ${name}, such as ${other}: expected files of SHA-256 ` +
      `${old.map((sum) => sum.slice(0, 12)).join(", ")} (--data names another place)`,
  );
}

/**
 * Compares the images of a repeated run with those of the first.
 *
 * @returns a sentence if all are the same
 * @throws {Error} if an image differs, with what else differs
 */
export function comparedWith(first: RunRecord, second: RunRecord): string {
  const images = Object.entries(first.files).filter(([name]) => name.startsWith("images/"));
  const other = images.filter(([name, sum]) => second.files[name] !== sum);
  if (other.length === 0) return `All ${images.length} images are byte-identical to those of the run`;
  const causes = [
    ...first.program === PROGRAM ? [] : [`the program (${first.program}, this is ${PROGRAM})`],
    ...first.kernels.sha256 === second.kernels.sha256 ? [] : ["the kernels"],
  ];
  throw new Error(
    `${other.length} of ${images.length} images differ from those of the run, such as ${other[0][0]}; ` +
      `what differs beside them: ${causes.join(" and ") || "nothing that run.json records; the code may have changed"}`,
  );
}
