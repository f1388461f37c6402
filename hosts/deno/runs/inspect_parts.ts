/** Inspects folders of parts: which images are there, which files are as they were written, and what is missing to a whole. */
import { join } from "node:path";
import { counted } from "../../../pipelines/report/counted.ts";
import { ENTRIES, fingerprint, PART_FORMAT, type PartEntry, rangeOf } from "../../../pipelines/shards/part.ts";
import { CARD } from "../../../pipelines/shards/card.ts";
import { gapsOf, MANIFEST } from "../../../pipelines/shards/manifest.ts";
import {
  missingRanges,
  type NumberRange,
  numbersIn,
  rangeOfName,
  rangeText,
} from "../../../pipelines/shards/ranges.ts";
import { differences, type Settings } from "../../../pipelines/shards/settings.ts";
import { quoted } from "../system/command_line.ts";
import { sha256 } from "../system/hashes.ts";
import { isInside, isRecord, readRecord } from "../folders/folder_record.ts";
import type { RunRecord } from "./repeat_run.ts";

/** The record of a folder of parts. */
export interface PartsRecord extends RunRecord {
  readonly settings: Settings;
  /** The numbers that the folder should hold: those of a shard, or all. */
  readonly shard: NumberRange;
}

/** Whether a record is one of a folder of parts. */
export function isPartsRecord(record: unknown): record is PartsRecord {
  if (!isRecord(record)) return false;
  const { settings, shard } = record as Partial<PartsRecord>;
  return Number.isInteger(settings?.count) && Number.isInteger(shard?.first) && Number.isInteger(shard?.end) &&
    0 <= shard!.first && shard!.first < shard!.end && shard!.end <= settings!.count;
}

/** A part whose files are all there, as they were written. */
export interface FoundPart {
  readonly entry: PartEntry;
  /** The path of its entry below the folder, and the SHA-256 of that file. */
  readonly name: string;
  readonly sha256: string;
}

/** A file that is missing or not as it was written. */
export interface BrokenFile {
  readonly name: string;
  readonly why: string;
  /** The part that it belongs to, if the entry of the part is as it was written. */
  readonly part?: FoundPart;
}

/** What was found in a folder. */
export interface InspectedFolder {
  readonly folder: string;
  readonly record: PartsRecord;
  /** The SHA-256 of its settings. */
  readonly settings: string;
  readonly parts: readonly FoundPart[];
  readonly broken: readonly BrokenFile[];
}

/**
 * Inspects a folder that `synth` or `merge` wrote, or that a killed `synth` left.
 *
 * @param other the settings of the parts to find, if they are not those of its record
 * @throws {Error} if the folder is no such folder
 */
export async function inspectFolder(folder: string, other?: Settings): Promise<InspectedFolder> {
  const record = await readRecord(folder);
  if (!isPartsRecord(record)) {
    throw new Error(
      `Cannot read ${folder}: expected a folder of synth --shard, synth --format or merge, got ` +
        `${record ? `one of ${record.command} in one piece` : "one without its run.json"}`,
    );
  }
  const settings = await fingerprint(other ?? record.settings, sha256),
    parts: FoundPart[] = [],
    broken: BrokenFile[] = [];
  const there = await Array.fromAsync(Deno.readDir(join(folder, ENTRIES)), ({ name }) => `${ENTRIES}/${name}`)
    .catch(() => []);
  const listed = Object.entries(record.files).filter(([name, sum]) => name.startsWith(`${ENTRIES}/`) && sum !== null);
  for (const name of new Set([...there, ...listed.map(([name]) => name)].sort())) {
    const inspected = await inspectPart(folder, name, settings, record).catch((error) => error as Error);
    if (inspected instanceof Error) broken.push({ name, why: inspected.message });
    else if ("why" in inspected) broken.push(inspected);
    else parts.push(inspected);
  }
  for (const name of OF_WHOLE) {
    const sum = record.files[name];
    if (sum && await sumOf(folder, name) !== sum) broken.push({ name, why: CHANGED });
  }
  return { folder, record, settings, parts, broken };
}

/** The files of a whole run that belong to no part. */
const OF_WHOLE: readonly string[] = [MANIFEST, CARD];
const CHANGED = "is missing or was changed since it was written";

async function inspectPart(
  folder: string,
  name: string,
  settings: string,
  record: PartsRecord,
): Promise<FoundPart | BrokenFile> {
  const { settings: { count }, files } = record,
    range = rangeOfName(name.slice(ENTRIES.length + 1, -".json".length), count);
  const path = join(folder, name), sum = await sumOf(folder, name), before = files[name];
  if (!range || !name.endsWith(".json")) return { name, why: "is no part of this run" };
  if (sum === undefined || before && before !== sum) return { name, why: CHANGED };
  let entry: PartEntry;
  try {
    entry = JSON.parse(await Deno.readTextFile(path));
  } catch {
    return { name, why: CHANGED };
  }
  const fits = entry?.format === PART_FORMAT && typeof entry.files === "object" && entry.files !== null &&
    entry.first === range.first && entry.first + entry.count === range.end &&
    Object.entries(entry.files).every(([file, sum]) => isInside(file) && typeof sum === "string");
  if (!fits) return { name, why: CHANGED };
  if (entry.settings !== settings) return { name, why: "is a part of a run of other settings" };
  const part = { entry, name, sha256: sum };
  for (const [file, sum] of Object.entries(entry.files)) {
    if (await sumOf(folder, file) !== sum) return { name: file, why: CHANGED, part };
  }
  return part;
}

/** The SHA-256 of a file below a folder; undefined if there is no such file. Links are not followed. */
async function sumOf(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name), info = await Deno.lstat(path).catch(() => undefined);
  return info?.isFile ? await sha256(await Deno.readFile(path)) : undefined;
}

/** What several folders are together. */
export interface Inspection {
  readonly folders: readonly InspectedFolder[];
  /** Whether every image is there once, and every file as it was written: what `merge` needs. */
  readonly hasAll: boolean;
  /** Whether also all runs have come to their end, so that no file is missing that belongs to no part. */
  readonly isWhole: boolean;
  /** What is wrong, one line each; first what was found. */
  readonly lines: readonly string[];
  /** The commands that make what is missing. */
  readonly commands: readonly string[];
}

/**
 * Inspects folders and compares them with the whole run.
 *
 * @throws {Error} as `inspectFolder`
 */
export async function inspectParts(paths: readonly string[]): Promise<Inspection> {
  const folders: InspectedFolder[] = [];
  for (const path of paths) folders.push(await inspectFolder(path));
  const [first] = folders, { count } = first.record.settings, all = { first: 0, end: count };
  const alike = folders.filter(({ settings }) => settings === first.settings);
  const entries = alike.flatMap(({ parts }) => parts.map(({ entry }) => entry));
  const { missing, double } = gapsOf(all, entries);
  const problems = [
    ...folders.filter((one) => !alike.includes(one)).map(({ folder, record: { settings } }) => {
      const names = differences(settings, first.record.settings).join(", ");
      return `other settings: ${folder} (${names}; expected those of ${first.folder})`;
    }),
    ...folders.flatMap(({ folder, broken }) => broken.map(({ name, why }) => `broken: ${join(folder, name)} ${why}`)),
    ...double.map((range) => `double: ${ranged(range)} in ${ownersOf(alike, range).join(" and ")}`),
    ...missing.map((range) => `missing: ${ranged(range)}`),
  ];
  const unfinished = folders.filter(isUnfinished).map(({ folder }) => {
    return `unfinished: ${folder} (its run was killed, or has not ended yet)`;
  });
  const inspected = folders.map(({ folder, parts }) => {
    const images = parts.reduce((sum, { entry }) => sum + entry.count, 0);
    return `${folder}: ${images} of ${count} images in ${counted(parts.length, "part")}`;
  });
  return {
    folders,
    hasAll: problems.length === 0,
    isWhole: problems.length === 0 && unfinished.length === 0,
    lines: [...inspected, ...problems, ...unfinished],
    commands: commandsFor(alike, missing),
  };
}

function ranged(range: NumberRange): string {
  return `${rangeText(range)} (${counted(numbersIn([range]), "image")})`;
}

function isUnfinished({ record: { state } }: InspectedFolder): boolean {
  return state === "running";
}

/** The entries of parts that have one of the numbers. */
function ownersOf(folders: readonly InspectedFolder[], { first, end }: NumberRange): string[] {
  return folders.flatMap(({ folder, parts }) =>
    parts.filter(({ entry }) => entry.first < end && rangeOf(entry).end > first).map(({ name }) => join(folder, name))
  );
}

/** What a folder should hold is made in it; what none of the folders should hold, in new ones. */
function commandsFor(folders: readonly InspectedFolder[], missing: readonly NumberRange[]): string[] {
  const commands = folders.flatMap((one) => {
    const { folder, record: { shard }, broken } = one, force = broken.length > 0 ? " --force" : "";
    const isMissing = missing.some(({ first, end }) => first < shard.end && end > shard.first);
    const isOpen = isMissing || isUnfinished(one) || broken.some(({ name }) => OF_WHOLE.includes(name));
    return isOpen ? [`deno task synth --run ${quoted(folder)} --resume${force} --out ${quoted(folder)}`] : [];
  });
  const [{ folder }] = folders, shards = folders.map(({ record }) => record.shard);
  const others = missing.flatMap((range) => missingRanges(range, shards)).map((range) => {
    const text = rangeText(range), out = quoted(`${folder.replace(/\/+$/, "")}-${text}`);
    return `deno task synth --run ${quoted(folder)} --shard ${text} --out ${out}`;
  });
  return [...commands, ...others];
}
