/** A report is data, and `toHtml` makes one HTML file of it that needs nothing else: no script, no network. */

/** What a report says, section by section. All texts are plain text; a blank line in `lead` or `text` parts paragraphs. */
export interface Report {
  readonly title: string;
  /** What was done and what came out. */
  readonly lead: string;
  /** The command that makes the report again. */
  readonly command: string;
  readonly settings: readonly (readonly [name: string, value: string])[];
  readonly sections: readonly Section[];
  /** When and by which version it was made: the last line. */
  readonly made?: string;
}

/** A part of a report, with a line in the list of contents. */
export interface Section {
  readonly title: string;
  readonly text?: string;
  readonly figures: readonly Figure[];
}

/**
 * A numbered figure: tables are counted apart from charts and pictures. `number` stands in place of the next number, such
 * as "S1". A caption says what to see.
 */
export type Figure =
  | {
    readonly kind: "table";
    readonly number?: string;
    readonly caption: string;
    /** The first column names the rows. */
    readonly columns: readonly string[];
    readonly rows: readonly (readonly Cell[])[];
    readonly note?: string;
  }
  | {
    readonly kind: "chart";
    readonly number?: string;
    readonly caption: string;
    /** Goes into the page as it is: it must come from a program that escapes its texts, as `pipelines/report/charts.ts` does. */
    readonly svg: string;
  }
  | {
    readonly kind: "picture";
    readonly number?: string;
    readonly caption: string;
    /** What can be seen, for those who cannot see it. */
    readonly alt: string;
    readonly png: Uint8Array;
    /** Shows its pixels as squares, enlarged where it is small. */
    readonly pixelated?: boolean;
  };

/** A number is rounded to what can be compared; a text is shown as it is. */
export type Cell = string | number | {
  readonly value: string | number;
  /** Stands small below the value: an interval, a count. */
  readonly note?: string;
  /** The best of its column. */
  readonly best?: boolean;
  /** Somebody else's number, not measured for this report. */
  readonly quoted?: boolean;
};

/** Forbids the page what it does not need, should a text ever get past `escape`. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The report as one HTML file. The same report gives the same text. */
export function toHtml(report: Report): string {
  const { title, lead, command, settings, sections, made } = report;
  const number = numbering(sections.flatMap(({ figures }) => figures));
  const entry = (section: Section, s: number) => `<li><a href="#section-${s + 1}">${escape(section.title)}</a></li>`;
  const setting = ([name, value]: readonly [string, string]) =>
    `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escape(title)}</h1>
${paragraphs(lead, "lead")}
<pre tabindex="0"><code>${escape(command)}</code></pre>
${settings.length > 0 ? `<dl>\n${settings.map(setting).join("\n")}\n</dl>` : ""}
</header>
<nav aria-labelledby="contents">
<h2 id="contents">Contents</h2>
<ol>
${sections.map(entry).join("\n")}
</ol>
</nav>
<main>
${sections.map((section, s) => sectionHtml(section, s, number)).join("\n")}
</main>
${made ? `<footer>${paragraphs(made)}</footer>` : ""}
</body>
</html>
`;
}

/** What a figure is called on the page, and its id there. */
interface Label {
  readonly name: string;
  readonly id: string;
}

/** Tables and other figures are counted apart; a number that a figure brings along is left out. */
function numbering(figures: readonly Figure[]): ReadonlyMap<Figure, Label> {
  const labels = new Map<Figure, Label>(), counts: Record<string, number> = { Table: 0, Figure: 0 };
  const word = ({ kind }: Figure) => kind === "table" ? "Table" : "Figure";
  const given = new Set(figures.map((figure) => `${word(figure)} ${figure.number}`));
  figures.forEach((figure, i) => {
    const kind = word(figure), next = (): number => given.has(`${kind} ${++counts[kind]}`) ? next() : counts[kind];
    labels.set(figure, { name: `${kind} ${figure.number ?? next()}`, id: `figure-${i + 1}` });
  });
  return labels;
}

function sectionHtml({ title, text, figures }: Section, s: number, number: ReadonlyMap<Figure, Label>): string {
  const body = figures.map((figure) => figureHtml(figure, number.get(figure)!)).join("\n");
  return `<section id="section-${s + 1}" aria-labelledby="title-${s + 1}">
<h2 id="title-${s + 1}">${escape(title)}</h2>
${text ? paragraphs(text) : ""}
${figures.length > 0 ? `<div class="figures">\n${body}\n</div>` : ""}
</section>`;
}

function figureHtml(figure: Figure, { name, id }: Label): string {
  const caption = `<figcaption id="${id}-caption"><a href="#${id}">${escape(name)}.</a> ${
    escape(figure.caption)
  }</figcaption>`;
  // Focus, for those who scroll by keyboard.
  const scroll = (inner: string) =>
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-caption">${inner}</div>`;
  const body = figure.kind === "table"
    ? caption + scroll(tableHtml(figure)) + tableNotes(figure)
    : figure.kind === "picture"
    ? scroll(imageHtml(figure)) + caption
    : `<div class="drawing" role="img" aria-labelledby="${id}-caption">${inline(figure.svg)}</div>${caption}`;
  return `<figure id="${id}" class="${figure.kind}">${body}</figure>`;
}

/** Inside HTML an SVG needs no namespace. */
function inline(svg: string): string {
  return svg.replace(/^<svg xmlns="[^"]*"/, "<svg");
}

type Table = Extract<Figure, { kind: "table" }>;

function tableHtml({ columns, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => typeof cell === "object" ? cell : { value: cell }));
  // A whole number among others keeps its point: only a row or a column of nothing else is of counts.
  const whole = (line: readonly { value: string | number }[]) =>
    line.every(({ value }) => typeof value === "string" || Number.isInteger(value));
  const wholeRows = cells.map((row) => whole(row.slice(1)));
  const wholeColumns = columns.map((_, c) => whole(cells.flatMap((row) => row.slice(c, c + 1))));
  const values = cells.map((row, r) =>
    row.map((cell, c) => ({ ...cell, text: shown(cell.value, wholeRows[r] || wholeColumns[c]) }))
  );
  const isNumber = columns.map((_, c) => c > 0 && values.every((row) => !row[c] || NUMBER.test(row[c].text)));
  const align = (c: number) => isNumber[c] ? ' class="number"' : "";
  const head = columns.map((name, c) => `<th scope="col"${align(c)}>${escape(name)}</th>`).join("");
  const body = values.map((row) =>
    row.map(({ text, note, best, quoted }, c) => {
      const strong = best ? `<strong>${escape(text)}</strong>` : escape(text);
      const inner = (quoted ? `<i>${strong}</i>` : strong) + (note ? `<small>${escape(note)}</small>` : "");
      // Prose keeps a readable width: on a phone the table scrolls in its box instead.
      const wide = text.length > 40 ? ' class="prose"' : "";
      return c === 0 ? `<th scope="row">${inner}</th>` : `<td${align(c) || wide}>${inner}</td>`;
    }).join("")
  );
  return `<table><thead><tr>${head}</tr></thead>\n<tbody>\n${
    body.map((row) => `<tr>${row}</tr>`).join("\n")
  }\n</tbody></table>`;
}

/** A number, maybe with a sign of comparison before it and something after, or nothing: such a column is set flush right. */
const NUMBER = /^([≈≥≤<>~±+−-]*\s*[\d∞].*|[–-]?)$/;

/** Four digits, but no more than three after the point, and none for a count; nothing to say is a dash. */
function shown(value: string | number, count: boolean): string {
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value), sign = value < 0 ? "−" : "", digits = size >= 100 ? 1 : size >= 10 ? 2 : 3;
  if (size === Infinity) return `${sign}∞`;
  if (size >= 1e15 || (size > 0 && size < 0.001)) return sign + size.toPrecision(2);
  const [whole, rest] = size.toFixed(count ? 0 : digits).split(".");
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
}

function tableNotes({ rows, note }: Table): string {
  const has = (key: "best" | "quoted") => rows.flat().some((cell) => typeof cell === "object" && cell[key]);
  const notes = [note, has("best") && "Bold: the best.", has("quoted") && "Italic: quoted, not measured here."];
  const said = notes.filter((text) => !!text);
  return said.length > 0 ? `<p class="note">${said.map((text) => escape(String(text))).join(" ")}</p>` : "";
}

function imageHtml({ alt, png, pixelated }: Extract<Figure, { kind: "picture" }>): string {
  // A PNG's first chunk holds its size, big-endian, from byte 16 on: with it the page is laid out before it is decoded.
  const at = (offset: number) => png.subarray(offset, offset + 4).reduce((sum, byte) => sum * 256 + byte, 0);
  const width = png.length >= 24 ? at(16) : 0, height = png.length >= 24 ? at(20) : 0;
  const scale = pixelated && width > 0 ? Math.min(4, Math.max(1, Math.floor(640 / width))) : 1;
  const size = width > 0 ? ` width="${width * scale}" height="${height * scale}"` : "";
  const style = pixelated ? ' class="pixelated"' : "";
  return `<img alt="${escape(alt)}"${size}${style} src="data:image/png;base64,${base64(png)}">`;
}

function paragraphs(text: string, name?: string): string {
  const start = name ? `<p class="${name}">` : "<p>";
  return text.split(/\n\s*\n/).map((part) => `${start}${escape(part.trim())}</p>`).join("\n");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]).replaceAll("\0", "");
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Written out: not every engine that runs this has `Uint8Array.prototype.toBase64`. */
function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const bits = bytes[i] << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
    parts.push(DIGITS[bits >> 18] + DIGITS[bits >> 12 & 63] + DIGITS[bits >> 6 & 63] + DIGITS[bits & 63]);
  }
  const missing = (3 - bytes.length % 3) % 3, text = parts.join("");
  return text.slice(0, text.length - missing) + "=".repeat(missing);
}

const STYLE = `
:root { --paper: #fff; --ink: #1c1e21; --quiet: #585e66; --rule: #d5d8dc; --tint: #f4f5f6; --link: #1a56a0; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e4e5e7; --quiet: #a2a8b0; --rule: #393d43; --tint: #202327; --link: #8ab6ee; }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word;
  font: 1rem/1.55 Charter, "Bitstream Charter", "Iowan Old Style", Georgia, serif; }
h1, h2 { line-height: 1.2; text-wrap: balance; font-weight: 600; }
h1 { margin: 0 0 1rem; font-size: 1.9rem; }
h2 { margin: 0 0 .6rem; font-size: 1.3rem; }
p { max-width: 42rem; margin: 0 0 .8rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .15em; }
.lead { font-size: 1.1rem; }
pre, code, dl, table, figcaption, nav, .note, footer { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; }
pre { margin: 1.2rem 0; padding: .7rem .9rem; overflow-x: auto; background: var(--tint); border: 1px solid var(--rule); border-radius: 3px; }
pre code { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; user-select: all; -webkit-user-select: all; }
dl { margin: 1rem 0 0; columns: 19rem; column-gap: 2.5rem; font-size: .85rem; line-height: 1.4; }
dl div { display: flex; gap: 1rem; justify-content: space-between; padding: .25rem 0; border-bottom: 1px solid var(--rule); break-inside: avoid; }
dt { flex: none; max-width: 60%; color: var(--quiet); }
dd { margin: 0; min-width: 0; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
nav { margin: 2rem 0 0; font-size: .95rem; }
nav h2 { font-size: 1rem; }
nav ol { margin: 0; padding-left: 1.4rem; }
section { margin-top: 2.6rem; padding-top: 1.6rem; border-top: 1px solid var(--rule); }
.figures { display: grid; gap: 2rem 2.5rem; margin-top: 1.4rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
figure { margin: 0; min-width: 0; scroll-margin-top: 1rem; }
.table, .picture { grid-column: 1 / -1; }
figcaption { max-width: 42rem; font-size: .88rem; line-height: 1.45; color: var(--quiet); }
figcaption a { color: var(--ink); font-weight: 600; text-decoration: none; }
figcaption a:hover { text-decoration: underline; }
.table figcaption { margin-bottom: .6rem; }
.picture figcaption { margin-top: .6rem; }
.scroll { overflow-x: auto; max-width: 100%; }
/* Charts side by side stand on one line, whatever the height of their legends. */
.chart { display: grid; grid-row: span 2; grid-template-rows: subgrid; row-gap: .6rem; }
.drawing { align-self: end; }
.drawing svg { display: block; width: 100%; max-width: 34rem; height: auto; }
img { display: block; border: 1px solid var(--rule); }
.pixelated { image-rendering: pixelated; }
table { border-collapse: collapse; font-size: .88rem; line-height: 1.4; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
th, td { padding: .32rem .9rem; text-align: left; vertical-align: baseline; font-weight: 400; }
th:first-child { padding-left: .2rem; }
td.prose { min-width: 15rem; }
thead th { border-bottom: 1px solid var(--ink); font-weight: 600; vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small, tbody th small { display: block; color: var(--quiet); font-size: .8rem; font-style: normal; }
.note, footer { color: var(--quiet); font-size: .82rem; line-height: 1.45; }
.note { margin: .5rem 0 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  th, td { padding-left: .6rem; padding-right: .6rem; }
}
@media print {
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, .table figcaption { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .table { break-inside: auto; }
  .scroll { overflow: visible; }
  .figures { grid-template-columns: 1fr 1fr; }
  img { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
  table { font-size: 7.5pt; }
  th, td { padding-left: .35rem; padding-right: .35rem; }
  a { color: inherit; text-decoration: none; }
}
`;
