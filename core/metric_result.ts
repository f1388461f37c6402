/** Checks results of metrics: what threads with third-party plugins return may be anything. */
import { oneLine, shown } from "./shown.ts";
import type { MetricResult } from "./metric.ts";

/** How many images each set has that values can be of. */
export type Counts = Readonly<Record<MetricResult["of"], number>>;

/** The most entries of a table or list, and characters of a text. */
const MOST = 100, LONGEST = 1000;

/**
 * Copies a result with its entries alone. Each is read once.
 *
 * @throws {Error} if one has another form, or is too long: a sentence's end, `expected ..., got ...`
 */
export function checkedResult(result: MetricResult, counts: Counts): MetricResult {
  if (typeof result !== "object" || result === null) throw wrong("an object with values", result);
  const { values: given, of, standardError, tooFew } = result;
  if (!(given instanceof Float64Array)) throw wrong("values, a Float64Array", given);
  if (!Object.hasOwn(counts, of)) throw wrong("`of` to be generated, training or both", of);
  // A metric that cuts its sets to one size has fewer values than images; a series of "both" may be of one set.
  const values = column("values", given, counts[of]);
  const fits = ({ length }: Float64Array) => length === values.length || of === "both" && length <= counts.both;
  const series = entriesOf("series", result.series).map(([name, numbers]) => {
    const one = column(`series ${shown(name)}`, numbers, counts[of]);
    if (!fits(one)) throw wrong(`a series of ${values.length} numbers, one a value`, one.length);
    return [name, one] as const;
  });
  const settings = entriesOf("settings", result.settings).map(([name, value]) => {
    const what = `setting ${shown(name)} to be a finite number or a text`;
    if (typeof value === "number" && !Number.isFinite(value)) throw wrong(what, value);
    return [name, typeof value === "number" ? value : line(what, value)] as const;
  });
  const warnings = listOf(result.warnings).map((text) => line("warnings, a list of texts", text));
  const isError = standardError === undefined || typeof standardError === "number" && !(standardError < 0);
  if (!isError) throw wrong("a standard error of at least 0", standardError);
  const reason = tooFew === undefined ? undefined : line("`tooFew` to be a text", tooFew);
  return {
    values,
    of,
    series: Object.fromEntries(series),
    settings: Object.fromEntries(settings),
    warnings,
    ...standardError !== undefined && { standardError },
    ...reason !== undefined && { tooFew: reason },
  };
}

/**
 * Checks the numbers of a third-party plugin, which a score is made of.
 *
 * @throws {Error} as `checkedResult`, if images have no values, if one or their sum is infinite, or if there are none without a word why
 */
export function checkNumbers({ values, of, warnings, tooFew }: MetricResult, counts: Counts): void {
  // If the sets differ in size, a metric may use equally many images of each, with a warning.
  const isCut = counts.generated !== counts.training && values.length < counts[of] && warnings.length > 0;
  if (values.length !== counts[of] && !isCut) {
    const fewer = "(or fewer and a warning where the sets differ in size)";
    throw wrong(`one value for each image of \`of\`, ${counts[of]} ${fewer}`, values.length);
  }
  const endless = values.find((value) => value === Infinity || value === -Infinity);
  if (endless !== undefined) throw wrong("values to be finite, or NaN for an image without one", endless);
  const sum = values.reduce((sum, value) => Number.isNaN(value) ? sum : sum + value, 0);
  if (!Number.isFinite(sum)) throw wrong("values with a finite sum", values.find((value) => value > 0 || value < 0));
  if (values.length > 0 && values.every(Number.isNaN) && tooFew === undefined && warnings.length === 0) {
    throw wrong("a number, a warning, or a reason why there is none", "NaN for all images");
  }
}

function wrong(expected: string, got: unknown): Error {
  const text = typeof got === "string" ? oneLine(got, 60) : got === undefined ? "nothing" : shown(got);
  return new Error(`expected ${expected}, got ${text}`);
}

/** A copy of numbers, one for each image. */
function column(what: string, numbers: unknown, most: number): Float64Array {
  if (!(numbers instanceof Float64Array)) throw wrong(`${what} to be a Float64Array`, numbers);
  const copy = new Float64Array(numbers); // of an object that says another length, the numbers that are there
  if (copy.length > most) throw wrong(`${what} of at most ${most} images`, copy.length);
  return copy;
}

function entriesOf(what: string, table: unknown): (readonly [string, unknown])[] {
  if (typeof table !== "object" || table === null) throw wrong(`${what}, an object`, table);
  const names = Object.keys(table);
  if (names.length > MOST) throw wrong(`at most ${MOST} ${what}`, names.length);
  return names.map((name) => [line("names of entries", name), (table as Record<string, unknown>)[name]]);
}

function listOf(list: unknown): readonly unknown[] {
  if (!Array.isArray(list)) throw wrong("warnings, a list of texts", list);
  if (list.length > MOST) throw wrong(`at most ${MOST} warnings`, list.length);
  return [...list];
}

/** A text of one line. */
function line(what: string, text: unknown): string {
  if (typeof text !== "string") throw wrong(what, text);
  if (text.length > LONGEST) throw wrong(`${what}, of at most ${LONGEST} characters`, `${text.length}`);
  return oneLine(text, LONGEST);
}
