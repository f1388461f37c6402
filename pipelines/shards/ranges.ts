/** Ranges of image numbers: what a shard makes, what a file holds, what is missing. */

/** The numbers from `first` up to, but without, `end`. */
export interface NumberRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Returns the range of shard `shard` of `shards` of a run. All shards together are the run, and their sizes differ by one
 * image at most.
 *
 * @param shard 1 .. shards
 */
export function shardRange(count: number, shard: number, shards: number): NumberRange {
  return { first: Math.floor((shard - 1) * count / shards), end: Math.floor(shard * count / shards) };
}

/** Splits a range into ranges of `size` numbers; the last one may be smaller. */
export function splitRange({ first, end }: NumberRange, size: number): NumberRange[] {
  return Array.from({ length: Math.ceil((end - first) / size) }, (_, n) => {
    return { first: first + n * size, end: Math.min(first + (n + 1) * size, end) };
  });
}

/** Returns what of a range none of the others covers, in ascending order. */
export function missingRanges(whole: NumberRange, covered: readonly NumberRange[]): NumberRange[] {
  const missing: NumberRange[] = [];
  let next = whole.first;
  for (const { first, end } of inOrder(covered)) {
    if (first > next && next < whole.end) missing.push({ first: next, end: Math.min(first, whole.end) });
    next = Math.max(next, end);
  }
  if (next < whole.end) missing.push({ first: next, end: whole.end });
  return missing;
}

/** Returns what more than one of the ranges covers, in ascending order. */
export function doubleRanges(ranges: readonly NumberRange[]): NumberRange[] {
  const double: NumberRange[] = [];
  let covered = 0;
  for (const { first, end } of inOrder(ranges)) {
    const last = double.at(-1), from = Math.max(first, last?.end ?? 0), to = Math.min(covered, end);
    if (to > from && last?.end === from) double[double.length - 1] = { first: last.first, end: to };
    else if (to > from) double.push({ first: from, end: to });
    covered = Math.max(covered, end);
  }
  return double;
}

/** How many numbers ranges have in all. */
export function numbersIn(ranges: readonly NumberRange[]): number {
  return ranges.reduce((sum, { first, end }) => sum + end - first, 0);
}

/** How many numbers the longest of ranges has; 0 if there are none. */
export function longestOf(ranges: readonly NumberRange[]): number {
  return ranges.reduce((most, { first, end }) => Math.max(most, end - first), 0);
}

/** A range as people read it and as `--shard` takes it: first and last number, `20000-24095`. */
export function rangeText({ first, end }: NumberRange): string {
  return `${first}-${end - 1}`;
}

/** A number of an image with as many digits as the largest number of the run has, at least 6: names then sort by number. */
export function paddedNumber(number: number, count: number): string {
  return String(number).padStart(Math.max(6, String(count - 1).length), "0");
}

/** A range as the name of a file: `020000-024095`. */
export function rangeName({ first, end }: NumberRange, count: number): string {
  return `${paddedNumber(first, count)}-${paddedNumber(end - 1, count)}`;
}

/** Reads what `rangeName` wrote; undefined if the text is no range of a run of `count` images. */
export function rangeOfName(name: string, count: number): NumberRange | undefined {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(name) ?? [], range = { first: Number(first), end: Number(last) + 1 };
  if (first === undefined || range.end > count || range.first >= range.end) return undefined;
  return rangeName(range, count) === name ? range : undefined;
}

function inOrder(ranges: readonly NumberRange[]): NumberRange[] {
  return ranges.toSorted((a, b) => a.first - b.first || a.end - b.end);
}
