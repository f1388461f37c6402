/**
 * The charts of a report: SVG text, and the numbers that it draws. The same input gives the same bytes. A chart has no background,
 * and its text takes the colour of the text around it. The other colours can be told apart on white and on black, and with colour
 * blindness. Numbers that are not finite are left out, and the legend says how many. If none is left, the chart is a sentence.
 */
import {
  byNumber,
  bySet,
  type Colour,
  dots,
  extent,
  finitePoints,
  legendNames,
  logAxis,
  mixed,
  niceStep,
  round,
  RULE,
  thinned,
} from "./chart_parts.ts";
import type { Data } from "./report.ts";
import { CHART_WIDTH, drawChart, FONT_SIZE, NOTHING_TO_DRAW } from "./draw_chart.ts";

/** A named set of numbers, drawn in one colour. */
export interface Values {
  readonly name: string;
  readonly values: ArrayLike<number>;
}

/** A named set of points (x[i], y[i]), drawn in one colour. */
export interface Points {
  readonly name: string;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/** A chart, as a figure of a report takes it. */
export interface Chart {
  readonly svg: string;
  /** The numbers that were given, one row each: all of them, also those that are not finite or not drawn. */
  readonly data: Data;
}

/** The titles of the axes. */
export interface Titles {
  readonly x: string;
  readonly y: string;
}

/** Draws histograms of some sets. Columns are shares of each set, so that sets of different sizes can be compared. */
export async function histogram(
  sets: readonly Values[],
  { x, y = "share of images", bins = 40 }: { readonly x: string; readonly y?: string; readonly bins?: number },
): Promise<Chart> {
  const data = { columns: ["set", x], rows: sets.flatMap(({ name, values }) => Array.from(values, (v) => [name, v])) };
  const finite = sets.map(({ values }) => Array.from(values).filter(Number.isFinite));
  const ends = extent(finite.flat());
  if (!ends) return { svg: NOTHING_TO_DRAW, data };
  const step = niceStep(ends, bins), first = Math.floor(ends[0] / step), count = Math.floor(ends[1] / step) - first + 1;
  const names = legendNames(sets.map(({ name, values }, i) => [name, finite[i].length, values.length]));
  const values = finite.flatMap((numbers, i) => {
    const shares = new Float64Array(count);
    for (const number of numbers) shares[Math.floor(number / step) - first] += 1 / numbers.length;
    // The outline of the columns has two points each.
    return Array.from(shares).flatMap((share, b) =>
      [b, b + 1].map((edge) => ({ x: (first + edge) * step, y: share, set: names[i] }))
    );
  });
  const svg = await drawChart({
    data: { values },
    height: 240,
    mark: { type: "area", line: { strokeWidth: 1.5 }, fillOpacity: 0.14 },
    encoding: {
      x: { field: "x", type: "quantitative", title: x, scale: { nice: true, zero: false } },
      y: { field: "y", type: "quantitative", title: y, stack: null, axis: { format: "~%", tickCount: 5 } },
      color: bySet(names),
      order: { value: 0 },
    },
  });
  return { svg, data };
}

/** Draws the points of some sets. With the diagonal y = x both axes have the same ends. */
export async function scatter(
  sets: readonly Points[],
  { x, y, diagonal }: Titles & { readonly diagonal: boolean },
): Promise<Chart> {
  const data = dataOf(sets, { x, y });
  const plotted = sets.map((set) => thinned(finitePoints(set)));
  const all = plotted.flat(), across = extent(all.map((p) => p.x)), up = extent(all.map((p) => p.y));
  if (!across || !up) return { svg: NOTHING_TO_DRAW, data };
  const names = legendNames(sets.map((set, i) => [set.name, plotted[i].length, set.x.length]));
  const both = round([Math.min(across[0], up[0]), Math.max(across[1], up[1])]);
  const axis = (title: string, field: "x" | "y", ends: [number, number]) => ({
    field,
    type: "quantitative" as const,
    title,
    scale: { domain: diagonal ? both : round(ends), nice: false },
  });
  const encoding = { x: axis(x, "x", across), y: axis(y, "y", up) };
  const line = { data: { values: both.map((end) => ({ x: end, y: end })) }, mark: { type: "line" as const, ...RULE } };
  const svg = await drawChart({
    height: diagonal ? CHART_WIDTH : 300,
    layer: [
      ...(diagonal ? [{ ...line, encoding }] : []),
      {
        data: { values: mixed(plotted.flatMap((points, i) => points.map((p) => ({ ...p, set: names[i] })))) },
        mark: dots(all.length),
        encoding: { ...encoding, color: bySet(names) },
      },
    ],
  });
  return { svg, data };
}

/** Draws points on a plane whose axes have no meaning: a t-SNE map. */
export async function map(
  points: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> },
  colour: Colour,
): Promise<Chart> {
  const title = colour.title ?? "set";
  const data = {
    columns: ["x", "y", title],
    rows: Array.from(points.x, (x, i) => [x, points.y[i], colour.values[i]]),
  };
  const places = finitePoints(points), across = extent(places.map((p) => p.x)), up = extent(places.map((p) => p.y));
  const plotted = places.filter(({ i }) => colour.by === "set" || Number.isFinite(colour.values[i]));
  if (!across || !up || plotted.length === 0) return { svg: NOTHING_TO_DRAW, data };
  const half = 0.53 * Math.max(across[1] - across[0], up[1] - up[0]);
  const axis = (field: "x" | "y", [low, high]: [number, number]) => ({
    field,
    type: "quantitative" as const,
    scale: { domain: [(low + high) / 2 - half, (low + high) / 2 + half], nice: false },
    axis: null,
  });
  const svg = await drawChart({
    height: CHART_WIDTH,
    view: { stroke: "currentColor", strokeOpacity: 0.25 },
    data: { values: mixed(plotted.map(({ i, x, y }) => ({ x, y, c: colour.values[i] }))) },
    mark: dots(plotted.length),
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
  return { svg, data };
}

/** Draws a curve through the points of each series, in the order of x, and an upright line at each mark. */
export async function lines(
  series: readonly Points[],
  { x, y, logX = false, marks = [] }: Titles & {
    /** A logarithmic x axis; points at 0 and below are left out. */
    readonly logX?: boolean;
    readonly marks?: readonly { readonly x: number; readonly label: string }[];
  },
): Promise<Chart> {
  const data = dataOf(series, { x, y });
  const drawable = (at: number) => Number.isFinite(at) && !(logX && at <= 0);
  const plotted = series.map((one) => finitePoints(one).filter((p) => drawable(p.x)).sort((a, b) => a.x - b.x));
  const marked = marks.filter((mark) => drawable(mark.x)),
    ends = extent([...plotted.flat(), ...marked].map((p) => p.x));
  if (!ends || plotted.flat().length === 0) return { svg: NOTHING_TO_DRAW, data };
  const names = legendNames(series.map((one, i) => [one.name, plotted[i].length, one.x.length]));
  const across = {
    field: "x",
    type: "quantitative" as const,
    title: x,
    ...(logX
      ? { scale: { type: "log" as const, nice: false }, axis: logAxis(ends) }
      : { scale: { nice: false, zero: false } }),
  };
  const onRight = (at: number) => logX ? at * at > ends[0] * ends[1] : 2 * at > ends[0] + ends[1];
  const svg = await drawChart({
    height: 260,
    layer: [
      {
        data: { values: plotted.flatMap((points, i) => points.map((p) => ({ x: p.x, y: p.y, set: names[i] }))) },
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
          // One below the other, because the texts of neighbouring marks would overlap.
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
  return { svg, data };
}

/** All points of some sets, one row each. */
function dataOf(sets: readonly Points[], { x, y }: Titles): Data {
  return {
    columns: ["set", x, y],
    rows: sets.flatMap((set) => Array.from(set.x, (at, i) => [set.name, at, set.y[i]])),
  };
}
