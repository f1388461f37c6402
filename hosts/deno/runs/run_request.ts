/** What is asked of a synthesis, and what of it `run.json` records, so that the run can be made again. */
import type { Size } from "../../../core/shape.ts";
import type { FormatName } from "../../../pipelines/shards/formats.ts";
import { type SheetKind, SHEETS } from "../../../pipelines/synthesis/poster.ts";
import { isPackPath } from "../folders/result_names.ts";

/** What a run was asked for that its profile does not say. `run.json` records it; a worker of a queue makes parts by it. */
export interface RecordedRequest {
  /** The size of the images; by default that of the profile. */
  readonly size?: Size;
  /** How many images there are; by default 16. */
  readonly count?: number;
  /** How many images of each class there are, in place of `count`. */
  readonly perClass?: number;
  /** The random seed; by default 1. */
  readonly seed?: number;
  /** Some classes only, as a list of numbers, ranges or names; "all": one model of all classes together. */
  readonly class?: string;
  /** The path of the training images. */
  readonly data?: string;
  /** Where seed images come from: test, model, quilt, noise, or a path. */
  readonly from?: string;
  /** Whether mirror images of the training images are learned from, too. */
  readonly mirror?: boolean;
  /** How many deformed copies of each training image are learned from, too. */
  readonly warp?: number;
  /** Training images that are left out, by number or file: each text is a list with commas. */
  readonly without?: readonly string[];
  /** Whether to write which training images each image depends on. */
  readonly dependencies?: boolean;
  /** Whether to measure log-likelihoods. */
  readonly ll?: boolean;
  /** The least log-likelihood of an image in nats. */
  readonly minLl?: number;
  /** Textures only: companions of the exemplar, as NAME=PATH. */
  readonly map?: readonly string[];
  /** What transparent pixels lie on: a name or #rrggbb. */
  readonly background?: string;
  /** The specifiers of third-party plugins, and whether they run in a sandbox. */
  readonly plugin?: readonly string[];
  readonly sandbox?: boolean;
  /** The part of the images that is made: N/M or FIRST-LAST. */
  readonly shard?: string;
  /** The format of the images; by default pictures, and of many images IDX. */
  readonly format?: FormatName;
  /** The most images of a part. */
  readonly part?: number;
  /** What the sheet shows; by default each image beside what it is compared with. */
  readonly sheet?: SheetKind;
}

/** All that a synthesis is asked for: the profile and its changes, too. */
export interface RunRequest extends RecordedRequest {
  /** The name or path of a profile. */
  readonly profile?: string;
  readonly prior?: string;
  /** The names of contexts in place of the profile's; ["none"]: no context. */
  readonly contexts?: readonly string[];
  readonly zStep?: string;
  /** Changes of the profile's values, as NAME=VALUE. */
  readonly set?: readonly string[];
  readonly minOriginality?: number;
  readonly maxStructure?: number;
  /** How many others each training image is morphed with, at most. */
  readonly morph?: number;
  /** Textures only: x, y or both. */
  readonly tile?: string;
}

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isTrue = (value: unknown) => value === true;
const isNumber = (value: unknown) => Number.isFinite(value);
const isSize = (value: unknown) => {
  const { height, width } = (value ?? {}) as Partial<Size>;
  return isNumber(height) && isNumber(width);
};

/** What each entry of a recorded request is. */
const ENTRIES: Readonly<Record<keyof RecordedRequest, (value: unknown) => boolean>> = {
  size: isSize,
  count: isNumber,
  perClass: isNumber,
  seed: isNumber,
  class: isText,
  data: isText,
  from: isText,
  mirror: isTrue,
  warp: isNumber,
  without: isTexts,
  dependencies: isTrue,
  ll: isTrue,
  minLl: isNumber,
  map: isTexts,
  background: isText,
  plugin: isTexts,
  sandbox: isTrue,
  shard: isText,
  format: isText,
  part: isNumber,
  sheet: (value) => SHEETS.some((kind) => kind === value),
};

/** Returns what `run.json` records of a request: its entries that are given and are not in the profile. */
export function recordedRequest(request: RunRequest): RecordedRequest {
  const { data, profile } = request;
  // A pack is a profile and the data.
  const complete = { ...request, data: data ?? (isPackPath(profile) ? profile : undefined) };
  return entriesOf(complete);
}

/**
 * Reads the request that a `run.json` records.
 *
 * @throws {Error} if an entry is not what it should be
 */
export function readRecordedRequest(recorded: object): RecordedRequest {
  const wrong = Object.entries(recorded).find(([name, value]) => {
    return !Object.hasOwn(ENTRIES, name) || !ENTRIES[name as keyof RecordedRequest](value);
  });
  if (!wrong) return recorded;
  throw new Error(`Cannot repeat a run with the request ${wrong[0]}: ${JSON.stringify(wrong[1])}`);
}

/**
 * Returns the request of a `run.json`, with what the command line gives in place of its entries. Anybody may have written the file:
 * plugins that only the file names run in a sandbox.
 */
export function requestAgain(recorded: RecordedRequest, given: RecordedRequest): RecordedRequest {
  const isNamedByFile = given.plugin === undefined && (recorded.plugin ?? []).length > 0;
  return { ...recorded, ...given, ...isNamedByFile && { sandbox: true } };
}

/** The recorded entries of a request that are given. */
function entriesOf(request: RunRequest): RecordedRequest {
  const names = Object.keys(ENTRIES) as (keyof RecordedRequest)[];
  return Object.fromEntries(names.flatMap((name) => isGiven(request[name]) ? [[name, request[name]]] : []));
}

/** Whether a value of a request is one that was given: no empty list, and no flag that was left out. */
export function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
