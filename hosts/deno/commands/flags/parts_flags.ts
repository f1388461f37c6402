/** The flags of runs of many images, which are written in parts, and how their values are read. */
import { suggestion } from "../../../../core/options.ts";
import type { Plan } from "../../../../core/plan.ts";
import { type FormatName, FORMATS } from "../../../../pipelines/shards/formats.ts";
import { type NumberRange, shardRange } from "../../../../pipelines/shards/ranges.ts";
import { type Given, UsageError, wholeNumber } from "./flags.ts";

/** Of more images, single pictures are no longer handy: they are written in parts. */
const PICTURES_AT_MOST = 10_000;
/** Images are numbered by u32. */
const MAX_IMAGES = 2 ** 32;

/** The flags of `synth` for many images. */
export const partsFlags = {
  "per-class": { value: "N", about: "how many images of each class, in place of --count" },
  ll: { about: "measure the log-likelihood of each image" },
  "min-ll": {
    value: "X",
    about: "draw an image again, at most 8 times in all, while its log-likelihood is below X; keep the likeliest",
  },
  shard: {
    value: "N/M|FIRST-LAST",
    about: "make the N-th of M equal shares of the images, or a range of them, in parts; merge joins shards",
  },
  format: {
    value: FORMATS.join("|"),
    about:
      `the images as single pictures and a sheet (png), or in parts (idx with --shard, or more than ${PICTURES_AT_MOST} images)`,
  },
  part: {
    value: "N",
    about:
      "images of a part: what is held in memory, and lost if the run is killed (4 MB of pixels; with --engine 1 MB)",
  },
  resume: { about: "keep the parts that are in --out, and make what is missing" },
} as const;

type PartsFlags = Given<typeof partsFlags> & { readonly count?: string };

/** Reads the values of `--count` and `--per-class`. */
export function readCount(
  { count, "per-class": perClass }: PartsFlags,
  classes: readonly (number | undefined)[],
): number {
  if (perClass === undefined) return wholeNumber("count", count ?? "16", 1, MAX_IMAGES);
  if (count !== undefined) throw new UsageError("Cannot use --per-class with --count: expected one of them");
  if (classes[0] === undefined) {
    throw new UsageError("Cannot use --per-class: expected images of classes, got one model of all images (--count)");
  }
  return classes.length * wholeNumber("per-class", perClass, 1, Math.floor(MAX_IMAGES / classes.length));
}

/** Reads the values of `--ll` and `--min-ll`: the least log-likelihood in nats; -Infinity if it is only measured. */
export function readMinLl(
  { ll, "min-ll": given }: PartsFlags,
  { channels, sizes: [{ height, width }], aligned }: Plan,
): number | undefined {
  if (given === undefined && !ll) return undefined;
  const flag = given === undefined ? "--ll" : "--min-ll";
  if (!aligned || channels > 1 || height !== width) {
    throw new UsageError(`Cannot use ${flag}: expected a profile of aligned, square, grey images, got another one`);
  }
  if (given === undefined) return -Infinity;
  const value = given.trim() === "" ? NaN : Number(given);
  if (Number.isFinite(value)) return value;
  throw new UsageError(`Cannot use --min-ll ${given}: expected a number, such as -80`);
}

/**
 * Reads the flags of runs in parts; undefined if the images are written as pictures, all in one.
 *
 * @param always whether the images are written in parts however few they are
 */
export function readParts(
  given: PartsFlags,
  count: number,
  always = false,
): { shard: NumberRange; format: FormatName; partSize?: number } | undefined {
  const { shard, part } = given, isMany = always || shard !== undefined || count > PICTURES_AT_MOST;
  const { format = isMany ? "idx" : "png" } = given;
  if (!(FORMATS as readonly string[]).includes(format)) {
    throw new UsageError(`Cannot use --format ${format}${suggestion(format, FORMATS)}`);
  }
  const partSize = part === undefined ? undefined : wholeNumber("part", part, 1, MAX_IMAGES);
  if (!isMany && format === "png") {
    const alone = part !== undefined ? "part" : given.resume ? "resume" : undefined;
    if (alone) {
      throw new UsageError(`Cannot use --${alone} with single pictures: expected it with --shard or a --format`);
    }
    return undefined;
  }
  return { shard: readShard(shard ?? "1/1", count), format: format as FormatName, partSize };
}

/** Reads the value of `--shard`: 3/100, or 20000-24095. */
function readShard(given: string, count: number): NumberRange {
  const [, first, sign, last] = /^(\d{1,10})([/-])(\d{1,10})$/.exec(given) ?? [],
    one = Number(first),
    other = Number(last);
  if (sign === "/" && one >= 1 && one <= other && other <= count) return shardRange(count, one, other);
  if (sign === "-" && one <= other && other < count) return { first: one, end: other + 1 };
  throw new UsageError(
    `Cannot use --shard ${given}: expected N/M with N from 1 to M and at most ${count} shards, or FIRST-LAST from 0 to ${
      count - 1
    }`,
  );
}
