/**
 * The charts of a report as SVG text. The same input gives the same bytes. A chart has no background, and its text takes
 * the colour of the text around it; the other colours can be told apart on white and on black, and by people who see few
 * colours. Numbers that are not finite are left out, and the legend says so; where none is left the chart is a sentence.
 */
import { CHART_WIDTH, drawChart, FONT_SIZE, NOTHING_TO_DRAW } from "./draw_chart.ts";

/** Numbers that are drawn alike. */
export interface Values {
  readonly name: string;
  readonly values: ArrayLike<number>;
}

/** Points (x[i], y[i]) that are drawn alike. */
export interface Points {
  readonly name: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** What stands at the axes. */
export interface Titles {
  readonly x: string;
  readonly y: string;
}

/** What the colour of a point on a map says: the set that it belongs to, or a number. */
export type Colour =
  | { readonly by: "set"; readonly values: ArrayLike<string>; readonly title?: string }
  | {
    readonly by: "number";
    /** A point whose number is not finite is not drawn but keeps its place: all maps of the same points look alike. */
    readonly values: ArrayLike<number>;
    readonly title: string;
    /** Ends of the colour scale; numbers beyond are drawn as the ends. If not given, the 2nd and 98th hundredth. */
    readonly domain?: readonly [low: number, high: number];
  };

/** One colour a set. Each has a contrast of at least 3 to white and to #16181b, the paper of a dark page. */
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
/** For numbers, low to high: ever lighter, with a contrast of at least 2 to both. */
const SCALE = ["#5560c9", "#9656b6", "#cd5f80", "#e28546", "#dcb03a"];
/** Of more points in a set every k-th is drawn: they hide each other and make the file large. */
const MOST_POINTS = 2000;
const RULE = { stroke: "currentColor", strokeWidth: 1.2, strokeDash: [5, 4], opacity: 0.7 };

/** How often values occur: the share of each set, so that sets of different sizes can be compared. */
export async function histogram(
  sets: readonly Values[],
  { x, y = "share of images", bins = 40 }: { readonly x: string; readonly y?: string; readonly bins?: number },
): Promise<string> {
  const finite = sets.map(({ values }) => Array.from(values).filter(Number.isFinite));
  const ends = extent(finite.flat());
  if (!ends) return NOTHING_TO_DRAW;
  const step = niceStep(ends, bins), first = Math.floor(ends[0] / step), count = Math.floor(ends[1] / step) - first + 1;
  const names = legendNames(sets.map(({ name, values }, i) => [name, finite[i].length, values.length]));
  const values = finite.flatMap((numbers, i) => {
    const shares = new Float64Array(count);
    for (const number of numbers) shares[Math.floor(number / step) - first] += 1 / numbers.length;
    // The outline of the columns: two points each.
    return Array.from(shares).flatMap((share, b) =>
      [b, b + 1].map((edge) => ({ x: (first + edge) * step, y: share, set: names[i] }))
    );
  });
  return await drawChart({
    data: { values },
    height: 240,
    mark: { type: "area", line: { strokeWidth: 1.5 }, fillOpacity: 0.14 },
    encoding: {
      x: { field: "x", type: "quantitative", title: x, scale: { nice: false, zero: false } },
      y: { field: "y", type: "quantitative", title: y, stack: null, axis: { format: "~%", tickCount: 5 } },
      color: bySet(names),
      order: { value: 0 },
    },
  });
}

/** Points of some sets. With the diagonal y = x both axes have the same ends. */
export async function scatter(
  sets: readonly Points[],
  { x, y, diagonal }: Titles & { readonly diagonal: boolean },
): Promise<string> {
  const drawn = sets.map((set) => thinned(finitePoints(set)));
  const all = drawn.flat(), across = extent(all.map((p) => p.x)), up = extent(all.map((p) => p.y));
  if (!across || !up) return NOTHING_TO_DRAW;
  const names = legendNames(sets.map((set, i) => [set.name, drawn[i].length, set.x.length]));
  const both = round([Math.min(across[0], up[0]), Math.max(across[1], up[1])]);
  const axis = (title: string, field: "x" | "y", ends: [number, number]) => ({
    field,
    type: "quantitative" as const,
    title,
    scale: { domain: diagonal ? both : round(ends), nice: false },
  });
  const encoding = { x: axis(x, "x", across), y: axis(y, "y", up) };
  const line = { data: { values: both.map((end) => ({ x: end, y: end })) }, mark: { type: "line" as const, ...RULE } };
  return await drawChart({
    height: diagonal ? CHART_WIDTH : 300,
    layer: [
      ...(diagonal ? [{ ...line, encoding }] : []),
      {
        data: { values: mixed(drawn.flatMap((points, i) => points.map((p) => ({ ...p, set: names[i] })))) },
        mark: dots(all.length),
        encoding: { ...encoding, color: bySet(names) },
      },
    ],
  });
}

/** Places on a plane whose axes mean nothing: a t-SNE map. */
export async function map(
  points: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> },
  colour: Colour,
): Promise<string> {
  const places = finitePoints(points), across = extent(places.map((p) => p.x)), up = extent(places.map((p) => p.y));
  const drawn = places.filter(({ i }) => colour.by === "set" || Number.isFinite(colour.values[i]));
  if (!across || !up || drawn.length === 0) return NOTHING_TO_DRAW;
  const half = 0.53 * Math.max(across[1] - across[0], up[1] - up[0]);
  const axis = (field: "x" | "y", [low, high]: [number, number]) => ({
    field,
    type: "quantitative" as const,
    scale: { domain: [(low + high) / 2 - half, (low + high) / 2 + half], nice: false },
    axis: null,
  });
  return await drawChart({
    height: CHART_WIDTH,
    view: { stroke: "currentColor", strokeOpacity: 0.25 },
    data: { values: mixed(drawn.map(({ i, x, y }) => ({ x, y, c: colour.values[i] }))) },
    mark: dots(drawn.length),
    encoding: {
      x: axis("x", across),
      y: axis("y", up),
      color: colour.by === "number" ? byNumber(colour) : {
        ...bySet([...new Set(Array.from(colour.values))]),
        field: "c",
        title: colour.title ?? null,
      },
    },
  });
}

/** Curves through the points of each series, in the order of x, and upright lines at what is marked. */
export async function lines(
  series: readonly Points[],
  { x, y, logX = false, marks = [] }: Titles & {
    /** A logarithmic x axis; points at 0 and below are left out. */
    readonly logX?: boolean;
    readonly marks?: readonly { readonly x: number; readonly label: string }[];
  },
): Promise<string> {
  const drawable = (at: number) => Number.isFinite(at) && !(logX && at <= 0);
  const drawn = series.map((one) => finitePoints(one).filter((p) => drawable(p.x)).sort((a, b) => a.x - b.x));
  const marked = marks.filter((mark) => drawable(mark.x)), ends = extent([...drawn.flat(), ...marked].map((p) => p.x));
  if (!ends || drawn.flat().length === 0) return NOTHING_TO_DRAW;
  const names = legendNames(series.map((one, i) => [one.name, drawn[i].length, one.x.length]));
  const across = {
    field: "x",
    type: "quantitative" as const,
    title: x,
    ...(logX
      ? { scale: { type: "log" as const, nice: false }, axis: logAxis(ends) }
      : { scale: { nice: false, zero: false } }),
  };
  const onRight = (at: number) => logX ? at * at > ends[0] * ends[1] : 2 * at > ends[0] + ends[1];
  return await drawChart({
    height: 260,
    layer: [
      {
        data: { values: drawn.flatMap((points, i) => points.map((p) => ({ x: p.x, y: p.y, set: names[i] }))) },
        mark: { type: "line", strokeWidth: 1.8, point: { filled: true, size: 22, opacity: 1 } },
        encoding: {
          x: across,
          y: { field: "y", type: "quantitative", title: y, scale: { zero: false } },
          color: bySet(names),
        },
      },
      ...marked.map((mark, i) => ({
        data: { values: [mark] },
        encoding: { x: across },
        layer: [{ mark: { type: "rule" as const, ...RULE } }, {
          // One below the other: marks that lie close would write over each other.
          mark: {
            type: "text" as const,
            y: 8 + 16 * i,
            dx: onRight(mark.x) ? -6 : 6,
            align: onRight(mark.x) ? "right" as const : "left" as const,
            color: "currentColor",
            fontSize: FONT_SIZE,
          },
          encoding: { text: { field: "label" } },
        }],
      })),
    ],
  });
}

interface Point {
  readonly x: number;
  readonly y: number;
  /** Its number among all points given. */
  readonly i: number;
}

function finitePoints({ x, y }: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> }): Point[] {
  return Array.from(x, (at, i) => ({ x: at, y: y[i], i })).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
}

function thinned<T>(points: readonly T[]): readonly T[] {
  if (points.length <= MOST_POINTS) return points;
  return Array.from({ length: MOST_POINTS }, (_, i) => points[Math.floor(i * points.length / MOST_POINTS)]);
}

/** The points in an order that mixes the sets, lest the last one hides the others. */
function mixed<T>(points: readonly T[]): T[] {
  const n = points.length;
  let step = Math.max(1, Math.round(n * 0.618));
  while (gcd(step, n) !== 1) step++;
  return points.map((_, i) => points[i * step % n]);
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** The smallest and the largest, a little apart; undefined if there is none. */
function extent(values: readonly number[]): [low: number, high: number] | undefined {
  if (values.length === 0) return;
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** 1, 2 or 5 times a power of ten: about `parts` of it go into the range. */
function niceStep([low, high]: readonly [number, number], parts: number): number {
  const rough = (high - low) / parts, power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

/** Ticks at 1, 2 and 5 times the powers of ten, or at the powers alone where there are many. */
function logAxis([low, high]: readonly [number, number]) {
  const factors = high / low > 1e3 ? [1] : [1, 2, 5], values: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    values.push(...factors.map((factor) => Number(`${factor}e${power}`)).filter((v) => v >= low && v <= high));
  }
  return { values, format: "~g" };
}

/** Ends of an axis around a range. */
function round(ends: [number, number]): [number, number] {
  const step = niceStep(ends, 10);
  return [Math.floor(ends[0] / step) * step, Math.ceil(ends[1] / step) * step];
}

/** The names, each of them once, with how many of how many are drawn where that is not all. */
function legendNames(sets: readonly (readonly [name: string, drawn: number, of: number])[]): string[] {
  const number = (count: number) => count.toLocaleString("en");
  const names = sets.map(([name, drawn, of]) =>
    drawn < of ? `${name} (${number(drawn)} of ${number(of)})`.trim() : name
  );
  return names.map((name, i) => names.indexOf(name) < i ? `${name} [${i + 1}]` : name);
}

function bySet(names: readonly string[]) {
  // Names that do not fit side by side make the chart wider and its text smaller: then they stand one below the other.
  const wide = names.length * (4 + Math.max(...names.map((name) => name.length))) > 56;
  return {
    field: "set",
    type: "nominal" as const,
    title: null,
    scale: { domain: [...names], range: names.map((_, i) => SETS[i % SETS.length]) },
    legend: names.join("") === "" ? null : { columns: wide ? 1 : 0, symbolType: "circle" as const },
  };
}

function byNumber({ values, title, domain }: Colour & { by: "number" }) {
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

/** Dots that are the smaller the more there are. */
function dots(count: number) {
  return { type: "circle" as const, size: count > 1500 ? 12 : count > 400 ? 20 : 34, opacity: 0.85 };
}
