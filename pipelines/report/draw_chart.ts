/** Draws a Vega-Lite specification as one small SVG. The first call loads Vega. */
import type { TopLevelSpec } from "vega-lite";

/** Width of a chart in pixels: the text stays readable when the chart is as wide as a phone. */
export const CHART_WIDTH = 400;
export const FONT_SIZE = 14;
const FONT = "system-ui, sans-serif";

/** Stands in place of a chart that has no finite number to draw. */
export const NOTHING_TO_DRAW = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} 40">` +
  `<text x="0" y="24" font-family="${FONT}" font-size="${FONT_SIZE}" fill="currentColor">` +
  "There is no finite number to draw.</text></svg>";

const TEXT = {
  labelColor: "currentColor",
  titleColor: "currentColor",
  labelFontSize: FONT_SIZE,
  titleFontSize: FONT_SIZE,
  titleFontWeight: "normal",
} as const;
const CONFIG: TopLevelSpec["config"] = {
  background: "transparent",
  font: FONT,
  // A text for every point would take up most of the file; the caption of the figure describes the chart.
  aria: false,
  view: { stroke: null },
  axis: {
    ...TEXT,
    titlePadding: 8,
    gridColor: "currentColor",
    gridOpacity: 0.12,
    domainColor: "currentColor",
    domainOpacity: 0.5,
    tickColor: "currentColor",
    tickOpacity: 0.5,
    labelOverlap: "parity",
    labelFlush: false,
  },
  legend: {
    ...TEXT,
    orient: "top",
    labelLimit: CHART_WIDTH - 20,
    titleLimit: CHART_WIDTH,
    symbolOpacity: 1,
    offset: 8,
  },
};

/** Returns SVG without a background; text and axes take the colour of the text around it. The same input gives the same bytes. */
export async function drawChart(spec: TopLevelSpec): Promise<string> {
  const [{ parse, View }, { compile }] = await Promise.all([import("vega"), import("vega-lite")]);
  const view = new View(parse(compile({ width: CHART_WIDTH, config: CONFIG, ...spec } as TopLevelSpec).spec));
  try {
    return compact(await view.toSVG());
  } finally {
    view.finalize();
  }
}

/** Makes the SVG of Vega several times shorter, as wide as the page allows, and independent of the charts drawn before it. */
function compact(svg: string): string {
  const small = svg
    .replace(/^<svg[^>]*? (viewBox="[^"]*")>/, '<svg xmlns="http://www.w3.org/2000/svg" $1>')
    // Only inside tags: the text between them may look like an attribute.
    .replace(/<[^>]*>/g, compactTag)
    .replace(
      /<g (class="mark-symbol role-mark[^"]*")>((?:<path [^>]*>)+)<\/g>/g,
      (_, name, paths) => dots(name, paths),
    );
  // Vega counts ids on from chart to chart. Here they depend on the content alone, and differ between charts of one page.
  const ids = [...small.matchAll(/<[^>]* id="([^"]+)"[^>]*>/g)].map(([, id]) => id);
  const named = (prefix: string) =>
    small.replace(/(<[^>]* id="|<[^>]*url\(#)([^")]+)/g, (_, before, id) => `${before}${prefix}${ids.indexOf(id)}`);
  return named(`c${hash(named(""))}-`);
}

function compactTag(tag: string): string {
  // Vega draws a background and a foreground for every group, nearly always empty ones.
  if (/^<rect [^>]*fill="transparent"|^<path class="(back|fore)ground"[^>]* d="(M0,0h0v0h0Z)?"/.test(tag)) return "";
  return tag
    .replace(/ (role|aria-[a-z]+|pointer-events)="[^"]*"/g, "")
    .replace(/ (d|x|y|x2|y2|transform)="[^"]*"/g, (text) => text.replace(/\d+\.\d+/g, (n) => `${+(+n).toFixed(1)}`))
    .replace(/"rgb\((\d+), (\d+), (\d+)\)"/g, (_, r, g, b) => `"#${hex(r)}${hex(g)}${hex(b)}"`);
}

/** Draws circles as points of a round pen. The group sets the pen's width, opacity and, if there is only one, its colour. */
function dots(name: string, paths: string): string {
  const points = [
    ...paths.matchAll(/translate\(([^)]*)\)" d="M([\d.]+),[^>]*fill="([^"]*)"(?:[^>]*opacity="([\d.]+)")?/g),
  ];
  const [, , radius, colour, opacity = "1"] = points[0], one = points.every((point) => point[3] === colour);
  const pen = `stroke-linecap="round" stroke-width="${+(2 * Number(radius)).toFixed(1)}" stroke-opacity="${opacity}"`;
  const body = points.map(([, at, , fill]) => `<path${one ? "" : ` stroke="${fill}"`} d="M${at}h0"/>`).join("");
  return `<g ${name} ${pen}${one ? ` stroke="${colour}"` : ""}>${body}</g>`;
}

function hex(value: string): string {
  return Number(value).toString(16).padStart(2, "0");
}

/** Hashes a text by FNV-1a. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(36);
}
