/** What charts share: colours, axes, legends, and which points are drawn. */
import { evenlySpaced } from "../../core/numbers.ts";

/** What the colour of a point on a map shows: the set it belongs to, or a number. */
export type Colour =
  | { readonly by: "set"; readonly values: ArrayLike<string>; readonly title?: string }
  | {
    readonly by: "number";
    /** A point whose number is not finite is not drawn, but the axes still include it: all maps of the same points look alike. */
    readonly values: ArrayLike<number>;
    readonly title: string;
    /** Ends of the colour scale; numbers beyond them take the colours of the ends. Default: the 2nd and 98th percentile. */
    readonly domain?: readonly [low: number, high: number];
  };

/** One colour per set. Each has a contrast of at least 3 to white and to #16181b, the background of a dark page. */
const SETS = [
  "#3272bf",
  "#d9772b",
  "#1f9470",
  "#b04f9c",
  "#a58a1f",
  "#757c86",
  "#c8424f",
  "#2b98ad",
  "#5f9b2e",
  "#8f6048",
];
/** Colours of numbers from low to high, each lighter than the one before, with a contrast of at least 2 to both. */
const SCALE = ["#5560c9", "#9656b6", "#cd5f80", "#e28546", "#dcb03a"];
/** Larger sets are thinned to this many points: more would hide each other and make the file large. */
const MAX_POINTS = 2000;
/** How helper lines are drawn: the diagonal and upright marks. */
export const RULE = { stroke: "currentColor", strokeWidth: 1.2, strokeDash: [5, 4], opacity: 0.7 };

/** A point whose coordinates are finite. */
interface Point {
  readonly x: number;
  readonly y: number;
  /** Index among all points given. */
  readonly i: number;
}

/** Returns the points whose coordinates are finite. */
export function finitePoints({ x, y }: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> }): Point[] {
  return Array.from(x, (at, i) => ({ x: at, y: y[i], i })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
}

/** Thins points evenly to at most `MAX_POINTS`. */
export function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= MAX_POINTS) return points;
  return Array.from(evenlySpaced(points.length, MAX_POINTS), (i) => points[i]);
}

/** Reorders the points so that the sets mix; otherwise the last set would hide the others. */
export function mixed<T>(points: readonly T[]): T[] {
  const n = points.length;
  let step = Math.max(1, Math.round(n * 0.618));
  while (gcd(step, n) !== 1) step++;
  return points.map((_, i) => points[i * step % n]);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Returns the smallest and the largest value, widened if they are equal; undefined for no values. */
export function extent(values: readonly number[]): [low: number, high: number] | undefined {
  if (values.length === 0) return;
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** Returns 1, 2 or 5 times a power of ten, such that the range has about `parts` steps. */
export function niceStep([low, high]: readonly [number, number], parts: number): number {
  const rough = (high - low) / parts, power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** Puts ticks at 1, 2 and 5 times the powers of ten; over two of them and more at the powers alone, as others would not fit. */
export function logAxis([low, high]: readonly [number, number]) {
  const factors = high / low >= 100 ? [1] : [1, 2, 5], values: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    values.push(...factors.map((factor) => Number(`${factor}e${power}`)).filter((v) => v >= low && v <= high));
  }
  return { values, format: "~g" };
}

/** Widens a range to round ends of an axis. */
export function round(ends: [number, number]): [number, number] {
  const step = niceStep(ends, 10);
  return [Math.floor(ends[0] / step) * step, Math.ceil(ends[1] / step) * step];
}

/** Makes the names unique, and adds how many numbers are drawn where that is not all of them. */
export function legendNames(sets: readonly (readonly [name: string, plotted: number, of: number])[]): string[] {
  const number = (count: number) => count.toLocaleString("en");
  const names = sets.map(([name, plotted, of]) =>
    plotted < of ? `${name} (${number(plotted)} of ${number(of)})`.trim() : name
  );
  return names.map((name, i) => names.indexOf(name) < i ? `${name} [${i + 1}]` : name);
}

/** Encodes the set of a mark by its colour. */
export function bySet(names: readonly string[]) {
  // Long names go one below the other: side by side they would make the chart wider and its text smaller.
  const wide = names.length * (4 + Math.max(...names.map((name) => name.length))) > 56;
  return {
    field: "set",
    type: "nominal" as const,
    title: null,
    scale: { domain: [...names], range: names.map((_, i) => SETS[i % SETS.length]) },
    legend: names.join("") === "" ? null : { columns: wide ? 1 : 0, symbolType: "circle" as const },
  };
}

/** Encodes a number by its colour. */
export function byNumber({ values, title, domain }: Colour & { by: "number" }) {
  const sorted = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
  const short = (value: number) => Number(value.toPrecision(3)),
    at = (share: number) => sorted[Math.round(share * (sorted.length - 1))];
  const [low, high] = extent((domain ?? [at(0.02), at(0.98)]).map(short))!,
    ticks = [low, short((low + high) / 2), high];
  const below = sorted[0] < low ? "≤ " : "", above = sorted[sorted.length - 1] > high ? "≥ " : "";
  const labels = ticks.map((tick, i) => `${["" + below, "", above][i]}${tick}`.replace("-", "−"));
  return {
    field: "c",
    type: "quantitative" as const,
    title,
    scale: { domain: [low, high], range: SCALE, clamp: true, nice: false },
    legend: {
      gradientLength: 240,
      gradientThickness: 10,
      values: ticks,
      labelExpr: `${JSON.stringify(labels)}[indexof(${JSON.stringify(ticks)}, datum.value)]`,
    },
  };
}

/** Draws dots; the more there are, the smaller. */
export function dots(count: number) {
  return { type: "circle" as const, size: count > 1500 ? 12 : count > 400 ? 20 : 34, opacity: 0.85 };
}
