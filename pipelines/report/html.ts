/** Writes a report as one HTML file that needs nothing else: no script, no network. */
import { toBase64 } from "../../datasets/formats/base64.ts";
import { csv } from "./csv.ts";
import type { Cell, Data, Figure, Report, Section } from "./report.ts";
import { STYLE } from "./style.ts";

/** Second line of defence behind `escape`: the page may load nothing but its own pictures and styles. */
const POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Returns the report as one HTML file. The same report gives the same text. */
export function toHtml(report: Report): string {
  const { title, lead, command, settings, sections, footer } = report;
  const number = numbering(sections.flatMap(({ figures }) => figures));
  const entry = (section: Section, s: number) => `<li><a href="#section-${s + 1}">${escape(section.title)}</a></li>`;
  const setting = ([name, value]: readonly [string, string]) =>
    `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`;
  const body = `<header>
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
${footer ? `<footer>${paragraphs(footer)}</footer>` : ""}`;
  return htmlDocument({ title, style: STYLE, policy: POLICY, body });
}

/** What a page without scripts consists of. */
interface HtmlDocument {
  readonly title: string;
  /** The style sheet. */
  readonly style: string;
  /** The content security policy: the second line of defence behind `escape`. */
  readonly policy: string;
  /** The HTML of the body. */
  readonly body: string;
}

/** Returns the text of a page. */
export function htmlDocument({ title, style, policy, body }: HtmlDocument): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

/** The name of a figure on the page ("Figure 3") and the id of its element. */
interface Label {
  readonly name: string;
  readonly id: string;
}

/** Numbers figures, and tables apart from them. A number that a figure sets itself is not given to another. */
function numbering(figures: readonly Figure[]): ReadonlyMap<Figure, Label> {
  const labels = new Map<Figure, Label>(), counts: Record<string, number> = { Table: 0, Figure: 0 };
  const word = ({ kind }: Figure) => kind === "table" ? "Table" : "Figure";
  const numbered = new Set(figures.map((figure) => `${word(figure)} ${figure.number}`));
  figures.forEach((figure, i) => {
    const kind = word(figure), next = (): number => numbered.has(`${kind} ${++counts[kind]}`) ? next() : counts[kind];
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

/** Tables of more columns are set more densely. */
const DENSE = 11;

function figureHtml(figure: Figure, { name, id }: Label): string {
  const caption = `<figcaption id="${id}-caption"><a href="#${id}">${escape(name)}.</a> ${
    escape(typeset(figure.caption))
  } ${downloads(figure, name)}</figcaption>`;
  // Focusable, so that it can be scrolled by keyboard.
  const scroll = (inner: string) =>
    `<div class="scroll" role="region" tabindex="0" aria-labelledby="${id}-caption">${inner}</div>`;
  const body = figure.kind === "table"
    ? caption + scroll(tableHtml(figure)) + tableNotes(figure)
    : figure.kind === "picture"
    ? scroll(imageHtml(figure)) + caption
    : `<div class="drawing" role="img" aria-labelledby="${id}-caption">${inline(figure.svg)}</div>${caption}`;
  const dense = figure.kind === "table" && figure.columns.length > DENSE ? " dense" : "";
  return `<figure id="${id}" class="${figure.kind}${dense}">${body}</figure>`;
}

/** Links to files of a figure, which lie in the page itself. */
function downloads(figure: Figure, name: string): string {
  const text = (content: string) => new TextEncoder().encode(content),
    link = (type: string, bytes: Uint8Array) => {
      const extension = type.replace(/^.*\/|\+.*$/g, ""),
        file = `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.${extension}`;
      return `<a class="file" download="${file}" href="data:${type};base64,${
        toBase64(bytes)
      }">${extension.toUpperCase()}</a>`;
    };
  if (figure.kind === "picture") return link("image/png", figure.png);
  if (figure.kind === "table") return link("text/csv", text(csv(tableData(figure))));
  return `${link("image/svg+xml", text(standalone(figure.svg)))} ${link("text/csv", text(csv(figure.data)))}`;
}

/** Gives an SVG the colours that it otherwise takes from the page around it. */
function standalone(svg: string): string {
  return svg.replace(/^<svg /, '<svg style="color:#1c1e21;background:#fff" ');
}

/** The cells of a table with all digits of their numbers; notes below numbers have columns of their own. */
function tableData({ columns, rows }: Table): Data {
  const cell = (row: readonly Cell[], c: number) => {
    const one = row[c];
    return typeof one === "object" ? one : { value: one ?? "" };
  };
  const noted = columns.map((_, c) => rows.some((row) => cell(row, c).note));
  const withNotes = <T>(value: (c: number) => T, note: (c: number) => T) => {
    return columns.flatMap((_, c) => noted[c] ? [value(c), note(c)] : [value(c)]);
  };
  return {
    columns: withNotes((c) => columns[c], (c) => `${columns[c]} (note)`),
    rows: rows.map((row) => withNotes((c) => cell(row, c).value, (c) => cell(row, c).note ?? "")),
  };
}

/** Drops the namespace, which an SVG inside HTML does not need. */
function inline(svg: string): string {
  return svg.replace(/^<svg xmlns="[^"]*"/, "<svg");
}

type Table = Extract<Figure, { kind: "table" }>;

function tableHtml({ columns, rows }: Table): string {
  const cells = rows.map((row) => row.map((cell) => typeof cell === "object" ? cell : { value: cell }));
  // Numbers are counts, shown without decimals, only where a whole row or column consists of integers.
  const areCounts = (line: readonly { value: string | number }[]) =>
    line.every(({ value }) => typeof value === "string" || Number.isInteger(value));
  const countRows = cells.map((row) => areCounts(row.slice(1)));
  const countColumns = columns.map((_, c) => areCounts(cells.flatMap((row) => row.slice(c, c + 1))));
  const values = cells.map((row, r) =>
    row.map((cell, c) => ({ ...cell, text: cellText(cell.value, countRows[r] || countColumns[c]) }))
  );
  const isNumber = columns.map((_, c) => c > 0 && values.every((row) => !row[c] || NUMBER.test(row[c].text)));
  const align = (c: number) => isNumber[c] ? ' class="number"' : "";
  const head = columns.map((name, c) => `<th scope="col"${align(c)}>${escape(name)}</th>`).join("");
  const body = values.map((row) =>
    row.map(({ text, note, best, quoted }, c) => {
      const strong = best ? `<strong>${escape(text)}</strong>` : escape(text);
      const inner = (quoted ? `<i>${strong}</i>` : strong) +
        (note ? `<small${prose(note)}>${escape(typeset(note))}</small>` : "");
      const wide = prose(text);
      return c === 0 ? `<th scope="row">${inner}</th>` : `<td${align(c) || wide}>${inner}</td>`;
    }).join("")
  );
  return `<table><thead><tr>${head}</tr></thead>\n<tbody>\n${
    body.map((row) => `<tr>${row}</tr>`).join("\n")
  }\n</tbody></table>`;
}

/** The class of a text that is prose: it keeps a readable width; on a phone the table scrolls inside its box. */
function prose(text: string): string {
  return text.length > 40 ? ' class="prose"' : "";
}

/** Matches cells of columns that are set flush right: a number, with an optional sign before and text after, or no number. */
const NUMBER = /^([≈≥≤<>~±+−-]*\s*[\d∞].*|[–-]?|n\/a)$/;

/** Formats a number with four digits, at most three of them decimals; a count has none, and NaN is a dash. */
function cellText(value: string | number, count: boolean): string {
  if (typeof value === "string") return typeset(value);
  if (Number.isNaN(value)) return "–";
  const size = Math.abs(value), sign = value < 0 ? "−" : "", digits = size >= 100 ? 1 : size >= 10 ? 2 : 3;
  if (size === Infinity) return `${sign}∞`;
  if (size >= 1e15 || (size > 0 && size < 0.001)) return sign + size.toPrecision(2);
  const [integer, decimals] = size.toFixed(count ? 0 : digits).split(".");
  return sign + integer.replace(/\B(?=(\d{3})+$)/g, ",") + (decimals ? `.${decimals}` : "");
}

function tableNotes({ rows, note }: Table): string {
  const has = (key: "best" | "quoted") => rows.flat().some((cell) => typeof cell === "object" && cell[key]);
  const notes = [note, has("best") && "Bold: the best.", has("quoted") && "Italic: quoted, not measured here."];
  const sentences = notes.filter((text) => !!text);
  return sentences.length > 0
    ? `<p class="note">${sentences.map((text) => escape(typeset(String(text)))).join(" ")}</p>`
    : "";
}

function imageHtml({ alt, png, pixelated }: Extract<Figure, { kind: "picture" }>): string {
  // The first chunk of a PNG holds its size, big-endian, at byte 16. Browsers use it to lay out the page before decoding.
  const at = (offset: number) => png.subarray(offset, offset + 4).reduce((sum, byte) => sum * 256 + byte, 0);
  const width = png.length >= 24 ? at(16) : 0, height = png.length >= 24 ? at(20) : 0;
  const scale = pixelated && width > 0 ? Math.min(4, Math.max(1, Math.floor(640 / width))) : 1;
  const size = width > 0 ? ` width="${width * scale}" height="${height * scale}"` : "";
  const style = pixelated ? ' class="pixelated"' : "";
  return `<img alt="${escape(alt)}"${size}${style} src="data:image/png;base64,${toBase64(png)}">`;
}

function paragraphs(text: string, name?: string): string {
  const start = name ? `<p class="${name}">` : "<p>";
  return text.split(/\n\s*\n/).map((part) => `${start}${escape(part.trim())}</p>`).join("\n");
}

/** Writes minus signs as charts and tables do: with the sign itself, not with a hyphen. */
function typeset(text: string): string {
  return text.replace(/(?<![^\s(,])-(?=[\d∞])/g, "−");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]).replaceAll("\0", "");
}
