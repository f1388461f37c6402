/** What jobs of the engine say. A worker believes nothing of it that it has not checked: anybody may write to a queue. */
import { isAbsolute } from "node:path";
import type { NumberRange } from "../../../pipelines/shards/ranges.ts";
import { PROGRAM } from "../folders/folder_record.ts";
import { isSum } from "../system/hashes.ts";
import { inLine } from "../system/printable.ts";
import type { TakenJob } from "./messages.ts";

/** The value of `format` of a job; the number changes with the meaning of its members. */
const JOB_FORMAT = "patchloom-job-1";

/** The job that ends a run: all parts are there, and the manifest is assembled. */
export interface EndJob {
  readonly format: typeof JOB_FORMAT;
  /** The program that the run was begun with, which its workers must be. */
  readonly program: string;
  /** The path of the folder of the run, with its `run.json`, as all machines see it. */
  readonly folder: string;
  /** The SHA-256 of the settings of the run. */
  readonly settings: string;
}

/** A job that makes a part. */
export interface PartJob extends EndJob, NumberRange {
  /** The most images of a part of the run. */
  readonly partSize: number;
  /** The pack with profile and training images: a path as all machines see it, or an address. */
  readonly pack: { readonly from: string; readonly bytes: number; readonly sha256: string };
}

/** Makes the job that ends a run. */
export function endJob(folder: string, settings: string): EndJob {
  return { format: JOB_FORMAT, program: PROGRAM, folder, settings };
}

/** Characters of a path or an address, at most: as many as a path of Linux has. */
export const LONGEST_PATH = 4096;
/** Bytes of a pack, at most: the memory of kernels is 4 GiB. */
const LARGEST_PACK = 2 ** 32;

/** A job that this worker must not do, but others may: the worker and the run do not belong together. */
export class Unsuited extends Error {}

/** A job that no worker can do. */
export class Refused extends Error {}

/**
 * Reads a job.
 *
 * @throws {Refused} if it is none of Patchloom's
 * @throws {Unsuited} if it is of another version
 */
export function readJob({ name, data }: TakenJob): { end: EndJob } | { part: PartJob } {
  const isEnd = name === "end";
  const refuse = (what: string) => new Refused(`Cannot do a job of the engine: expected ${what}, got another job`);
  if (!isEnd && name !== "part") throw refuse("one that makes a part or ends a run");
  const { format, program, folder, settings, first, end, partSize, pack } = fields(data);
  if (format !== JOB_FORMAT || typeof program !== "string") throw refuse(`the format ${JOB_FORMAT}`);
  if (program !== PROGRAM) {
    const printable = program.length < 64 && /^patchloom [\w.+-]+$/.test(program) ? program : "another program";
    throw new Unsuited(`Cannot work for a run of ${printable}: this worker is ${PROGRAM}`);
  }
  if (!isPathOfJob(folder) || !isAbsolute(folder)) throw refuse("the path of a folder");
  if (!isSum(settings)) throw refuse("the SHA-256 of settings");
  const job: EndJob = { format: JOB_FORMAT, program, folder, settings };
  if (isEnd) return { end: job };
  if (![first, end, partSize].every((number) => Number.isInteger(number) && Number(number) >= 0)) {
    throw refuse("the numbers of images");
  }
  const range = { first: Number(first), end: Number(end) }, { from, bytes, sha256 } = fields(pack);
  if (range.first >= range.end || range.end - range.first > Number(partSize) || range.end > 2 ** 32) {
    throw refuse("a range of images");
  }
  const isPlace = isPathOfJob(from) && (isAbsolute(from) || isPackUrl(from));
  const isLength = Number.isSafeInteger(bytes) && Number(bytes) > 0 && Number(bytes) <= LARGEST_PACK;
  if (!isPlace || !isLength || !isSum(sha256)) throw refuse("a pack, its length and its SHA-256");
  return { part: { ...job, ...range, partSize: Number(partSize), pack: { from, bytes: Number(bytes), sha256 } } };
}

/** Whether an address is one that packs are fetched from: without a user or a query, which could be secrets in a queue. */
export function isPackUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^(https?|s3):$/.test(url.protocol) && url.host !== "" &&
    /\/[\w.-]+\.loom$/.test(url.pathname) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "");
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}

/** Whether a value is a text that a job may have as a path: of bounded length, without characters that break or reorder lines. */
export function isPathOfJob(value: unknown): value is string {
  return typeof value === "string" && value.length <= LONGEST_PATH && inLine(value) === value;
}
