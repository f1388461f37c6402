import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toHtml } from "../../../pipelines/report/html.ts";
import type { Cell, Figure, Report } from "../../../pipelines/report/report.ts";
import { type Element, elements } from "../../well_formed.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0,0h4"/></svg>';
/** The head of a PNG of 40 x 30 pixels: all that a report looks at. */
const PNG = Uint8Array.from({ length: 64 }, (_, i) => ({ 19: 40, 23: 30 }[i] ?? (i < 24 ? 0 : 255 - i)));

const table = (rows: readonly (readonly Cell[])[], note?: string): Figure => ({
  kind: "table",
  caption: "scores",
  columns: ["of", "a", "b"],
  rows,
  note,
});
const data = { columns: ["x"], rows: [[1.5]] };
const chart = (number?: string): Figure => ({ kind: "chart", caption: "a chart", svg: SVG, data, number });
const picture = (png = PNG, pixelated = false): Figure => ({
  kind: "picture",
  caption: "see",
  alt: "it",
  png,
  pixelated,
});

function report(...figures: Figure[]): Report {
  const sections = [{ title: "One", text: "first\n\nsecond", figures }, { title: "Two", figures: [] }];
  return { title: "T", lead: "L", command: "deno task assess", settings: [["seed", "1"]], sections, footer: "now" };
}

const named = (all: readonly Element[], name: string) => all.filter((element) => element.name === name);
/** The texts of the cells, row by row. */
const cells = (html: string) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => cell)
  );

Deno.test("toHtml: whatever a text holds, it stays text", () => {
  const evil = `"><script>alert(1)</script><img src='http://evil' onerror="x()">&amp;\0`;
  const cell = { value: evil, note: evil, best: true, quoted: true };
  const html = toHtml({
    title: evil,
    lead: evil,
    command: evil,
    settings: [[evil, evil]],
    footer: evil,
    sections: [{
      title: evil,
      text: evil,
      figures: [
        {
          kind: "table",
          number: evil,
          caption: evil,
          columns: [evil, evil],
          rows: [[evil, cell], [cell, 1]],
          note: evil,
        },
        { kind: "chart", number: evil, caption: evil, svg: SVG, data: { columns: [evil], rows: [[evil]] } },
        { kind: "picture", number: evil, caption: evil, alt: evil, png: PNG },
      ],
    }],
  });
  const all = elements(html), plain = elements(toHtml(report(table([["x", 1]]), chart(), picture())));
  assertEquals(named(all, "script").length, 0);
  assertEquals(named(all, "img").length, 1);
  assert(!html.includes("\0"));
  assertStringIncludes(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
  // No text made an attribute that is not there otherwise.
  const attributes = (of: readonly Element[]) => new Set(of.flatMap((element) => [...element.attributes.keys()]));
  assertEquals([...attributes(all).difference(attributes(plain))], []);
});

Deno.test("toHtml: the page needs and may load nothing but itself", () => {
  const html = toHtml(report(table([["x", 1]]), chart(), picture())), all = elements(html);
  assert(!/http(?!-equiv)|url\(|@import|<link|<script|<iframe/.test(html));
  for (const { attributes } of all) {
    for (const [name, value] of attributes) {
      if (name === "src") assert(value.startsWith("data:image/png;base64,"), value);
      if (name === "href") assert(/^(#|data:(image\/png|image\/svg\+xml|text\/csv);base64,)/.test(value), value);
      assert(!name.startsWith("on"), name);
    }
  }
  const policy = named(all, "meta").find(({ attributes }) =>
    attributes.get("http-equiv") === "Content-Security-Policy"
  );
  assertStringIncludes(policy!.attributes.get("content")!, "default-src 'none'");
});

Deno.test("toHtml: every section is in the contents, every figure can be linked to", () => {
  const all = elements(toHtml(report(table([["x", 1]]), chart(), chart())));
  const ids = all.map(({ attributes }) => attributes.get("id")),
    links = named(all, "a").map((a) => a.attributes.get("href")).filter((link) => link!.startsWith("#"));
  assertEquals(links, ["#section-1", "#section-2", "#figure-1", "#figure-2", "#figure-3"]);
  for (const link of links) assert(ids.includes(link!.slice(1)), link);
  for (const { attributes } of all) {
    const label = attributes.get("aria-labelledby");
    if (label) assert(ids.includes(label), label);
  }
  assertEquals(named(all, "p").length, 4);
});

Deno.test("toHtml: tables and figures are counted apart, around the numbers that are given", () => {
  const html = toHtml(report(chart(), table([["x", 1]]), chart("S1"), chart("2"), picture(), table([["y", 2]])));
  const names = [...html.matchAll(/<figcaption[^>]*><a [^>]*>(.*?)<\/a>/g)].map(([, name]) => name);
  assertEquals(names, ["Figure 1.", "Table 1.", "Figure S1.", "Figure 2.", "Figure 3.", "Table 2."]);
});

Deno.test("toHtml: a table's numbers can be compared down a column and along a row", () => {
  const html = toHtml(report(table([["LL", -82.7349, -60], ["counts", 12345, 0], ["tiny", -0.00012345, NaN]])));
  assertEquals(cells(html), [["LL", "−82.73", "−60.00"], ["counts", "12,345", "0"], ["tiny", "−0.00012", "–"]]);
  assertEquals(cells(toHtml(report(table([["x", Infinity, 1e20], ["y", 250.06, 0.5]])))), [
    ["x", "∞", "1.0e+20"],
    ["y", "250.1", "0.500"],
  ]);
  const counts = toHtml(report(table([["x", 1000000, "a"], ["y", 2, "≥ 1"]])));
  assertEquals(cells(counts), [["x", "1,000,000", "a"], ["y", "2", "≥ 1"]]);
  // A column is flush right if all in it are numbers.
  assertEquals(counts.match(/<th scope="col"[^>]*>/g), [
    '<th scope="col">',
    '<th scope="col" class="number">',
    '<th scope="col">',
  ]);
});

Deno.test("toHtml: the best and what is quoted are marked, and a line says how", () => {
  const plain = toHtml(report(table([["x", 1]], "A note.")));
  assertStringIncludes(plain, '<p class="note">A note.</p>');
  const html = toHtml(report(table([["x", { value: 1.04, best: true }, { value: 0.622, quoted: true, note: "± 1" }]])));
  assertEquals(cells(html), [["x", "<strong>1.040</strong>", "<i>0.622</i><small>± 1</small>"]]);
  assertStringIncludes(html, '<p class="note">Bold: the best. Italic: quoted, not measured here.</p>');
  assert(!toHtml(report(table([["x", 1]]))).includes('class="note"'));
});

Deno.test("toHtml: a picture is all there, with its size, enlarged by whole pixels where it is small", () => {
  for (const length of [0, 1, 2, 3, 23, 62, 63, 64]) {
    const png = PNG.subarray(0, length), [img] = named(elements(toHtml(report(picture(png)))), "img");
    const data = img.attributes.get("src")!.replace("data:image/png;base64,", "");
    assertEquals(Uint8Array.fromBase64(data), png);
    assertEquals(img.attributes.get("width"), length < 24 ? undefined : "40");
  }
  const [large] = named(elements(toHtml(report(picture(PNG, true)))), "img");
  assertEquals([large.attributes.get("width"), large.attributes.get("height")], ["160", "120"]);
});

Deno.test("toHtml: a report of nothing is a page too", () => {
  const html = toHtml({ title: "", lead: "", command: "", settings: [], sections: [] });
  assertEquals(named(elements(html), "figure"), []);
  const empty: Figure = { kind: "table", caption: "", columns: [], rows: [] };
  assertEquals(named(elements(toHtml(report(empty))), "figure").length, 1);
});

/** The files that a page offers, by name. */
function downloads(html: string): Map<string, string> {
  const files = named(elements(html), "a").filter(({ attributes }) => attributes.has("download"));
  return new Map(files.map(({ attributes }) => {
    const bytes = Uint8Array.fromBase64(attributes.get("href")!.replace(/^.*base64,/, ""));
    return [attributes.get("download")!, new TextDecoder().decode(bytes)];
  }));
}

Deno.test("toHtml: every figure can be downloaded: charts as SVG and CSV, pictures as PNG, tables as CSV", () => {
  const rows: Cell[][] = [["LL", { value: -82.73491, note: "−90 to −70" }, 1], ["x", 2, "a, b"]];
  const files = downloads(toHtml(report(table(rows), chart("S 1/2"), picture())));
  assertEquals([...files.keys()], ["table-1.csv", "figure-s-1-2.svg", "figure-s-1-2.csv", "figure-1.png"]);
  assertEquals(files.get("table-1.csv"), 'of,a,a (note),b\nLL,-82.73491,−90 to −70,1\nx,2,,"a, b"\n');
  assertEquals(files.get("figure-s-1-2.csv"), "x\n1.5\n");
  const [svg] = elements(files.get("figure-s-1-2.svg")!);
  assertEquals(svg.attributes.get("xmlns"), "http://www.w3.org/2000/svg", "it is a file of its own");
  assertStringIncludes(svg.attributes.get("style")!, "color:#1c1e21");
});

Deno.test("toHtml: numbers in texts have the minus sign of the numbers in tables, names keep their hyphens", () => {
  const rows: Cell[][] = [["local-nn", { value: "-1.5", note: "-2 to -1, (-3)" }, -1.5], ["2^-5", "n/a", 3]];
  const html = toHtml(report(table(rows, "At -4.")));
  assertEquals(cells(html), [["local-nn", "−1.5<small>−2 to −1, (−3)</small>", "−1.500"], ["2^-5", "n/a", "3"]]);
  assertStringIncludes(html, "At −4.");
  assertEquals(
    html.match(/<th scope="col"[^>]*>/g)![1],
    '<th scope="col" class="number">',
    "n/a is of a column of numbers",
  );
});
