/** How many images a run has, and which parts they are written in. */
import { suggestion } from "../../../core/suggestion.ts";
import type { Plan } from "../../../core/plan.ts";
import { type FormatName, FORMATS } from "../../../pipelines/shards/formats.ts";
import { type NumberRange, shardRange } from "../../../pipelines/shards/ranges.ts";
import { RequestError, wholeNumber } from "../system/request_error.ts";
import type { RecordedRequest } from "./run_request.ts";

/** The most images that are written as single pictures; more are written in parts. */
const MAX_PICTURES = 10_000;
/** How many images a run has that nobody counts. */
export const USUAL_COUNT = 16;
/** Images are numbered by u32. */
const MAX_IMAGES = 2 ** 32;

/** How many images a run has. */
export function countOf(
  { count, perClass }: Pick<RecordedRequest, "count" | "perClass">,
  classes: readonly (number | undefined)[],
): number {
  if (perClass === undefined) return wholeNumber("count", String(count ?? USUAL_COUNT), 1, MAX_IMAGES);
  if (count !== undefined) throw new RequestError("Cannot use --per-class with --count: expected one of them");
  if (classes[0] === undefined) {
    throw new RequestError("Cannot use --per-class: expected images of classes, got one model of all images (--count)");
  }
  const most = Math.floor(MAX_IMAGES / classes.length);
  return classes.length * wholeNumber("per-class", String(perClass), 1, most);
}

/** The least log-likelihood of an image in nats; -Infinity if it is only measured, undefined if it is not. */
export function minLlOf(
  { ll, minLl }: Pick<RecordedRequest, "ll" | "minLl">,
  { channels, sizes: [{ height, width }], aligned }: Plan,
): number | undefined {
  if (minLl === undefined && !ll) return undefined;
  if (aligned && channels === 1 && height === width) return minLl ?? -Infinity;
  const flag = minLl === undefined ? "--ll" : "--min-ll";
  throw new RequestError(`Cannot use ${flag}: expected a profile of aligned, square, grey images, got another one`);
}

/** Whether a request asks for parts, as far as it is known before the data is read. */
export function isInParts({ shard, format, count = 0 }: Pick<RecordedRequest, "shard" | "format" | "count">): boolean {
  return shard !== undefined || format !== undefined || count > MAX_PICTURES;
}

/**
 * The parts of a run; undefined if the images are written as pictures, all in one.
 *
 * @param always whether the images are written in parts however few they are
 */
export function partsOf(
  request: Pick<RecordedRequest, "shard" | "format" | "part">,
  count: number,
  always = false,
): { shard: NumberRange; format: FormatName; partSize?: number } | undefined {
  const { shard, part } = request, isMany = always || shard !== undefined || count > MAX_PICTURES;
  const { format = isMany ? "idx" : "png" } = request;
  if (!(FORMATS as readonly string[]).includes(format)) {
    throw new RequestError(`Cannot use --format ${format}${suggestion(format, FORMATS)}`);
  }
  if (!isMany && format === "png") {
    if (part === undefined) return undefined;
    throw new RequestError("Cannot use --part with single pictures: expected it with --shard or a --format");
  }
  return { shard: readShard(shard ?? "1/1", count), format, partSize: part };
}

/** The most parts that are listed at a time: the record names the files of all, and a signal waits for the list. */
const MAX_PARTS = 100_000;

/**
 * Checks how many parts images are written in.
 *
 * @param count how many images
 * @param partSize how many of them a part has
 * @throws {RequestError} if there are too many parts
 */
export function checkPartCount(count: number, partSize: number): void {
  const parts = Math.ceil(count / partSize);
  if (parts <= MAX_PARTS) return;
  const larger = Math.ceil(count / MAX_PARTS), shards = Math.ceil(parts / MAX_PARTS);
  throw new RequestError(
    `Cannot make ${parts} parts: expected at most ${MAX_PARTS} in a folder; --part ${larger} makes larger ones, ` +
      `--shard 1/${shards} makes the first of ${shards} shards`,
  );
}

/** Reads a shard: 3/100, or 20000-24095. */
function readShard(given: string, count: number): NumberRange {
  const [, first, sign, last] = /^(\d{1,10})([/-])(\d{1,10})$/.exec(given) ?? [],
    one = Number(first),
    other = Number(last);
  if (sign === "/" && one >= 1 && one <= other && other <= count) return shardRange(count, one, other);
  if (sign === "-" && one <= other && other < count) return { first: one, end: other + 1 };
  throw new RequestError(
    `Cannot use --shard ${given}: expected N/M with N from 1 to M and at most ${count} shards, or FIRST-LAST from 0 to ${
      count - 1
    }`,
  );
}
