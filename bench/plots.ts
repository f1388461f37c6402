// Draws the tables of bench/README.md: how time grows, and the search beside other programs. `deno run -A bench/plots.ts`
import { drawChart } from "../pipelines/report/draw_chart.ts";

const here = new URL("./", import.meta.url), text = await Deno.readTextFile(new URL("README.md", here));

/** The rows of the table under a heading that begins so: cells by column. */
function table(heading: string): Record<string, string>[] {
  const [, section] = text.split(new RegExp(`\\n#+ ${heading}[^\\n]*\\n`));
  if (section === undefined) throw new Error(`bench/README.md has no section "${heading}"`);
  const lines = section.split("\n").filter((line, i, all) => line.startsWith("|") && !all.slice(0, i).some(isHeading));
  const cells = lines.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  return cells.slice(2).map((row) => Object.fromEntries(row.map((cell, c) => [cells[0][c], cell])));
}

function isHeading(line: string): boolean {
  return line.startsWith("#");
}

// Colours of their own: a picture does not know those of the page around it.
const background = "white", color = "#333";

const growth = ["training images", "pixels", "neighbours"].flatMap((what) =>
  table(`Growth with ${what}`).map((row) => ({
    what,
    size: Number(Object.values(row)[0]),
    ms: Number(row["ms an image"]),
  }))
);
const growthSvg = await drawChart({
  data: { values: growth },
  mark: { type: "line", point: true },
  encoding: {
    x: { field: "size", type: "quantitative", scale: { type: "log" }, title: "how many", axis: { format: "~s" } },
    y: { field: "ms", type: "quantitative", scale: { type: "log" }, title: "milliseconds an image" },
    color: { field: "what", type: "nominal", title: null },
  },
  background,
});

const cases = [...text.matchAll(/\n#### ([^:\n]+): (\d+) examples of (\d+) bytes/g)];
const peers = cases.flatMap(([, name, count, bytes]) =>
  table(name).map((row) => ({
    name: `${bytes} bytes, ${count} examples`,
    program: row.program.replace(/, effort \d+/, ""),
    times: Number(row["times ours"]),
  }))
);
const peersSvg = await drawChart({
  data: { values: peers },
  mark: { type: "point", filled: true, size: 70, opacity: 0.9 },
  encoding: {
    x: {
      field: "times",
      type: "quantitative",
      scale: { type: "log" },
      title: "time of a query, as a multiple of Patchloom's (approximate ones: recall of at least 0.95)",
    },
    y: { field: "program", type: "nominal", sort: null, title: null, axis: { labelLimit: 600 } },
    color: { field: "name", type: "nominal", sort: null, title: null, legend: { columns: 1 } },
  },
  background,
});

for (const [name, svg] of [["growth.svg", growthSvg], ["peers.svg", peersSvg]]) {
  await Deno.writeTextFile(new URL(name, here), svg.replaceAll("currentColor", color) + "\n");
}
