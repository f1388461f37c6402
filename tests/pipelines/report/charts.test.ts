import { assert, assertEquals, assertLess, assertNotEquals } from "@std/assert";
import * as charts from "../../../pipelines/report/charts.ts";
import { elements } from "../../well_formed.ts";

const wave = (n: number, pace: number) => Float64Array.from({ length: n }, (_, i) => Math.sin(i * pace) * (1 + i % 7));
const points = (name: string, n: number) => ({ name, x: wave(n, 0.7), y: wave(n, 1.3) });
const XY = { x: "d_G", y: "d_T" };

const histogram = async (...given: Parameters<typeof charts.histogram>) => (await charts.histogram(...given)).svg;
const scatter = async (...given: Parameters<typeof charts.scatter>) => (await charts.scatter(...given)).svg;
const map = async (...given: Parameters<typeof charts.map>) => (await charts.map(...given)).svg;
const lines = async (...given: Parameters<typeof charts.lines>) => (await charts.lines(...given)).svg;

/** All kinds of charts, of a few points. */
const all = () =>
  Promise.all([
    histogram([{ name: "a", values: wave(50, 1) }, { name: "b", values: wave(90, 2) }], { x: "LL" }),
    scatter([points("a", 20), points("b", 30)], { ...XY, diagonal: true }),
    scatter([points("a", 20)], { ...XY, diagonal: false }),
    map(points("", 40), { by: "set", values: Array.from({ length: 40 }, (_, i) => i % 2 ? "a" : "b") }),
    map(points("", 40), { by: "number", values: wave(40, 3), title: "LL" }),
    map(points("", 40), { by: "number", values: wave(40, 5), title: "originality" }),
    lines([points("a", 5), points("b", 5)], { ...XY, marks: [{ x: 0.4, label: "1/√2π" }] }),
    lines([{ name: "a", x: [0.1, 1, 10], y: [1, 2, 3] }], { ...XY, logX: true }),
  ]);

const has = (svg: string, text: string) => assert(svg.includes(text), `no ${text}`);
const dots = (svg: string) => svg.match(/<path[^>]* d="M[\d.,-]+h0"\/>/g)?.length ?? 0;
/** The marks of a type, by Vega's name for it; a legend's are not counted. */
const groups = (svg: string, type: string) =>
  [...svg.matchAll(new RegExp(`<g class="mark-${type} role-mark[^"]*"[^>]*>(.*?)</g>`, "g"))].map(([, inner]) => inner);
const paths = (svg: string, type: string) =>
  groups(svg, type).flatMap((inner) => inner.match(/<(path|text|line)/g) ?? []).length;

Deno.test("charts: the same input gives the same bytes, whatever was drawn before; ids differ from chart to chart", async () => {
  const first = await all(), second = await all();
  assertEquals(second, first);
  assertEquals(new Set(first).size, first.length);
  // Together on one page, too.
  elements(`<div>${first.join("")}</div>`);
  const gradients = first.flatMap((svg) => svg.match(/ id="[^"]+"/g) ?? []);
  assertEquals(gradients.length, 2);
  assertNotEquals(gradients[0], gradients[1]);
});

Deno.test("charts: each one is a well-formed SVG that scales, and takes the page's paper and ink", async () => {
  for (const svg of await all()) {
    const [root, ...rest] = elements(svg);
    assertEquals([root.name, [...root.attributes.keys()]], ["svg", ["xmlns", "viewBox"]]);
    assert(
      rest.filter(({ name }) => name === "text").every(({ attributes }) => attributes.get("fill") === "currentColor"),
    );
    assert(
      !rest.some(({ name, attributes }) =>
        name === "rect" || /^(white|#fff|black|#000)/.test(attributes.get("fill") ?? "")
      ),
    );
    for (const [, url] of svg.matchAll(/url\(([^)]*)\)/g)) has(svg, `id="${url.slice(1)}"`);
  }
});

Deno.test("charts: there is a mark for every set, point and sign", async () => {
  const [bars, scattered, plain, sets, numbers, , curves] = await all();
  assertEquals([paths(bars, "area"), paths(bars, "line")], [2, 2]);
  assertEquals([dots(scattered), paths(scattered, "line")], [50, 1]);
  assertEquals([dots(plain), paths(plain, "line")], [20, 0]);
  assertEquals([dots(sets), dots(numbers)], [40, 40]);
  assertEquals([paths(curves, "line"), dots(curves), paths(curves, "rule"), paths(curves, "text")], [2, 10, 1, 1]);
});

Deno.test("charts: a histogram's columns are shares of the finite values", async () => {
  const svg = await histogram([{ name: "a", values: [1, 1, 1, 2, NaN, Infinity] }], { x: "v", bins: 2 });
  has(svg, ">a (4 of 6)<");
  // Columns of 75 % and 25 % under an axis of 240 pixels that ends at 80 %; the columns from 1 to 2.5 on one that ends at 2.6.
  has(svg, 'd="M0,15L125,15L125,240L250,240L250,165L375,165"');
});

Deno.test("charts: ticks are even from one end of an axis to the other", async () => {
  const labels = (svg: string) =>
    [...svg.matchAll(/>([\u2212-]?[\d.]+)<\/text>/g)].map(([, text]) => Number(text.replace("\u2212", "-")));
  // From -106 to -31: ticks at the tens.
  const bars = await histogram([{ name: "a", values: Float64Array.from({ length: 20 }, (_, i) => -106 + 3.9 * i) }], {
    x: "LL",
  });
  assertEquals(labels(bars), [-110, -100, -90, -80, -70, -60, -50, -40, -30]);
  // Where not all labels have room, every second one goes.
  const wide = Float64Array.from({ length: 20 }, (_, i) => -137 + 5.3 * i);
  const [first, second, ...more] = labels(await histogram([{ name: "a", values: wide }], { x: "LL" }));
  more.forEach((label, i) => assertEquals(label - first, (i + 2) * (second - first)));
  const x = [1e-3, 3e-3, 0.01, 0.1, 1],
    log = await lines([{ name: "a", x, y: x.map(() => 0.5) }], { ...XY, logX: true });
  assertEquals(labels(log).filter((label) => Math.log10(label) % 1 === 0).slice(0, 4), [0.001, 0.01, 0.1, 1]);
  assertEquals(labels(log).filter((label) => [0.002, 0.005, 0.02, 0.05].includes(label)), []);
});

Deno.test("charts: numbers that are not finite are left out, and the legend says of how many", async () => {
  const bad = { name: "bad", x: [1, 2, NaN, 3, 4], y: [1, Infinity, 2, 3, 1] };
  for (const draw of [scatter([bad], { ...XY, diagonal: true }), lines([bad], XY)]) {
    const svg = await draw;
    assertEquals(dots(svg), 3);
    has(svg, ">bad (3 of 5)<");
  }
  assertEquals(dots(await map(bad, { by: "number", values: [1, 2, 3, NaN, 5], title: "LL" })), 2);
  const log = await lines([{ name: "log", x: [-1, 0, 1, 10], y: [1, 2, 3, 4] }], {
    ...XY,
    logX: true,
    marks: [{ x: 0, label: "" }],
  });
  assertEquals([dots(log), paths(log, "rule")], [2, 0]);
});

Deno.test("charts: without a finite number the chart is a sentence; one number is enough", async () => {
  const none = { name: "none", x: [NaN], y: [1] }, empty = { name: "", x: [], y: [] };
  const sentences = [
    histogram([], { x: "LL" }),
    histogram([{ name: "a", values: [NaN, -Infinity] }], { x: "LL" }),
    scatter([], { ...XY, diagonal: true }),
    scatter([none], { ...XY, diagonal: false }),
    map(empty, { by: "set", values: [] }),
    map({ x: [1], y: [1] }, { by: "number", values: [NaN], title: "LL" }),
    lines([none], XY),
  ];
  for (const svg of await Promise.all(sentences)) {
    elements(svg);
    has(svg, "There is no finite number to draw.");
  }
  const one = { name: "one", x: [3], y: [3] };
  assertEquals(dots(await scatter([one, empty], { ...XY, diagonal: true })), 1);
  assertEquals(dots(await map(one, { by: "number", values: [2], title: "LL" })), 1);
  assertEquals(dots(await lines([one], { ...XY, logX: true })), 1);
  assertEquals(paths(await histogram([{ name: "", values: [2] }], { x: "LL" }), "area"), 1);
});

Deno.test("charts: large sets are small in bytes, and thinned where that is more than can be seen", async () => {
  const n = 2000, large = points("", n), sets = Array.from({ length: n }, (_, i) => i % 2 ? "ours" : "training");
  const svg = await map(large, { by: "set", values: sets });
  assertEquals(dots(svg), n);
  assertLess(svg.length, 50 * n);
  const thin = await scatter([points("many", 10_000)], { ...XY, diagonal: true });
  assertEquals(dots(thin), 2000);
  has(thin, ">many (2,000 of 10,000)<");
});

Deno.test("charts: a map keeps every place, and says where colours end before the numbers do", async () => {
  const place = (svg: string) => svg.match(/d="(M[\d.,]+)h0"/g);
  const whole = await map(points("", 9), { by: "set", values: Array(9).fill("a") });
  const part = await map(points("", 9), { by: "number", values: [...Array(8).fill(NaN), 1], title: "LL" });
  assert(place(whole)!.includes(place(part)![0]));
  const values = Float64Array.from({ length: 200 }, (_, i) => i === 0 ? -1e6 : -i);
  const svg = await map(points("", 200), { by: "number", values, title: "LL" });
  has(svg, ">≤ −196<");
  has(svg, ">≥ −5<");
  const given = await map(points("", 200), { by: "number", values, title: "LL", domain: [-2e6, 0] });
  has(given, ">−2000000<");
});

Deno.test("charts: whatever a name holds, it stays text", async () => {
  const evil = `</text><script>x</script> d="1.2345" rgb(1, 2, 3) &`;
  const one = { name: evil, x: [1, 2], y: [1, 2] };
  const named = await Promise.all([
    scatter([one, one], { x: evil, y: evil, diagonal: true }),
    lines([one], { x: evil, y: evil, marks: [{ x: 1, label: evil }] }),
    map(one, { by: "set", values: [evil, "b"], title: evil }),
    histogram([{ name: evil, values: [1, 2] }], { x: evil, y: evil }),
  ]);
  for (const svg of named) assert(!elements(svg).some(({ name }) => name === "script"));
  has(named[1], `d="1.2345" rgb(1, 2, 3) &amp;`);
});

Deno.test("charts: the numbers that were given can be downloaded, all of them", async () => {
  const { data } = await charts.histogram([{ name: "a", values: [1, NaN] }, { name: "b", values: [3] }], { x: "LL" });
  assertEquals(data, { columns: ["set", "LL"], rows: [["a", 1], ["a", NaN], ["b", 3]] });
  const one = { name: "one", x: [1, 2], y: [3, 4] }, rows = [["one", 1, 3], ["one", 2, 4]];
  assertEquals((await charts.scatter([one], { ...XY, diagonal: true })).data, { columns: ["set", "d_G", "d_T"], rows });
  assertEquals((await charts.lines([one], XY)).data, { columns: ["set", "d_G", "d_T"], rows });
  const coloured = await charts.map(one, { by: "number", values: [5, NaN], title: "LL" });
  assertEquals(coloured.data, { columns: ["x", "y", "LL"], rows: [[1, 3, 5], [2, 4, NaN]] });
});
