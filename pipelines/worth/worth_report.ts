/** Writes what images are worth as tables of text, as CSV, and as a report with curves. */
import { lines } from "../report/charts.ts";
import { csv } from "../report/csv.ts";
import { fixed } from "../report/numbers.ts";
import type { Cell, Figure, Report, Section } from "../report/report.ts";
import { textTable } from "../report/text_table.ts";
import { type ClassifierName, CLASSIFIERS, partOf, readMethod, SOURCES } from "./names.ts";
import type { Interval } from "../report/intervals.ts";
import type { Worth, WorthRequest, WorthRow } from "./worth.ts";

/** A difference with its interval: "+1.2 ±0.4". */
function signed({ mean, half }: Interval): string {
  const text = fixed(mean, 1);
  return `${mean > 0 && Number(text) !== 0 ? "+" : ""}${text}${Number.isNaN(half) ? "" : ` ±${fixed(half, 1)}`}`;
}

/** The rows of one classifier and one number of real images; undefined: of synthetic images alone. */
function rowsOf({ rows }: Worth, classifier: ClassifierName, each: number | undefined): WorthRow[] {
  return rows.filter((row) => row.classifier === classifier && row.each === each);
}

const over = (difference: Interval | undefined) => difference ? signed(difference) : "";

/** The lines of a table for each classifier: accuracies and, in a second table, differences from their part alone. */
export function worthTable(worth: Worth, request: WorthRequest): string[] {
  return classifiersOf(worth).flatMap((classifier) => [
    `${classifier}: ${CLASSIFIERS[classifier]}`,
    ...request.each.length > 0 ? textTable(...fewCells(worth, request, classifier), 1) : [],
    ...request.only > 0 ? textTable(["", "accuracy", "from real"], onlyCells(worth, classifier), 1) : [],
    "",
  ]).concat(worth.leastQuotient === undefined ? [] : [quotientText(worth.leastQuotient)]);
}

function classifiersOf({ rows }: Worth): ClassifierName[] {
  return [...new Set(rows.map(({ classifier }) => classifier))];
}

/** Says how near the synthetic images come to training images. */
function quotientText(quotient: number): string {
  return `Least distance of a synthetic image to its nearest training image: ${
    fixed(quotient, 2)
  } of that to the second nearest (a copy: 0).`;
}

/** Head and cells: a row for each method; accuracy, difference from real images, and from its part alone, by their number. */
function fewCells(worth: Worth, { each, methods }: WorthRequest, classifier: ClassifierName): [string[], string[][]] {
  const head = ["real images of a class", ...each.flatMap((count) => [String(count), "from real", "from part"])];
  const cells = methods.map((method) => [
    method,
    ...each.flatMap((count) => {
      const row = rowsOf(worth, classifier, count).find((row) => row.method === method)!;
      return [fixed(row.accuracy.mean, 1), over(row.overReal), over(row.overPart)];
    }),
  ]);
  const isUsed = (column: number) => column === 0 || cells.some((row) => row[column] !== "");
  return [head.filter((_, c) => isUsed(c)), cells.map((row) => row.filter((_, c) => isUsed(c)))];
}

function onlyCells(worth: Worth, classifier: ClassifierName): string[][] {
  return rowsOf(worth, classifier, undefined).map(({ method, accuracy, overReal }) => {
    return [method, fixed(accuracy.mean, 1), over(overReal)];
  });
}

/** Writes the accuracy of every draw as CSV. */
export function worthCsv({ cells }: Worth): string {
  const rows = cells.map(({ draw, each, method, classifier, accuracy }) => {
    return [draw, each ?? "", method, classifier, accuracy];
  });
  return csv({ columns: ["draw", "real images of a class", "method", "classifier", "accuracy in percent"], rows });
}

/** Makes the report. */
export async function worthReport(
  worth: Worth,
  request: WorthRequest,
  { command, origin, seconds }: { readonly command: string; readonly origin: string; readonly seconds: number },
): Promise<Report> {
  const { each, only, methods, draws, added, tested, seed, profile } = request, sections: Section[] = [];
  for (const classifier of classifiersOf(worth)) {
    const figures: Figure[] = [];
    if (each.length > 1) figures.push(await curves(worth, request, classifier));
    if (each.length > 0) figures.push(fewTable(worth, request, classifier));
    if (only > 0) figures.push(onlyTable(worth, classifier, only));
    sections.push({ title: `Classifier: ${classifier}`, text: `${sentence(CLASSIFIERS[classifier])}.`, figures });
  }
  const used = new Set(methods.flatMap((name) => readMethod(name).sources));
  const about = [...used].map((name) => `${name}: ${SOURCES[name]}.`);
  return {
    title: `What images of "${profile.name}" are worth`,
    lead: [
      ...each.length === 0 ? [] : [
        `Classifiers learned from a few real images of each class, and from those with ${added} more images of each class that a method made of them.`,
      ],
      ...only === 0 ? [] : [
        `Classifiers learned from ${only} synthetic images alone, made from all training images, and from as many real ones.`,
      ],
      `The accuracy on test images, in percent, is the mean of ${draws} draws, with 95 % intervals of the paired differences. Test images are used for nothing else.`,
      ...each.length > 0 && about.length > 0
        ? [`${about.join(" ")} Of methods joined by "+" each adds an equal share.`]
        : [],
      ...worth.leastQuotient === undefined ? [] : [quotientText(worth.leastQuotient)],
    ].join("\n\n"),
    command,
    settings: [
      ["data", origin],
      ["draws", String(draws)],
      ["images that a method adds to a class", String(added)],
      ["test images of a draw", String(tested)],
      ["random seed", String(seed)],
      ["seconds", seconds.toFixed(0)],
    ],
    sections,
  };
}

function sentence(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}

async function curves(worth: Worth, { each, methods }: WorthRequest, classifier: ClassifierName): Promise<Figure> {
  const series = methods.map((name) => ({
    name,
    x: each,
    y: each.map((count) => {
      return rowsOf(worth, classifier, count).find((row) => row.method === name)!.accuracy.mean;
    }),
  }));
  const chart = await lines(series, { x: "real images of a class", y: "accuracy in percent", logX: true });
  return { kind: "chart", caption: "The accuracy by the number of real images.", ...chart };
}

function fewTable(worth: Worth, { each, methods }: WorthRequest, classifier: ClassifierName): Figure {
  const rows = methods.map((method): Cell[] => [
    method,
    ...each.map((count): Cell => {
      const same = rowsOf(worth, classifier, count), row = same.find((row) => row.method === method)!;
      const most = Math.max(...same.map(({ accuracy }) => accuracy.mean));
      const notes = [
        ...row.overReal ? [`${signed(row.overReal)} from real`] : [],
        ...row.overPart ? [`${signed(row.overPart)} from ${partOf(readMethod(method))}`] : [],
      ];
      const value = fixed(row.accuracy.mean, 1);
      return { value, note: notes.join("; ") || undefined, best: row.accuracy.mean === most };
    }),
  ]);
  return {
    kind: "table",
    caption:
      "The accuracy in percent, and its paired differences from that of the real images alone and from that of the method's part that others use alone.",
    columns: ["real images of a class", ...each.map(String)],
    rows,
  };
}

function onlyTable(worth: Worth, classifier: ClassifierName, only: number): Figure {
  return {
    kind: "table",
    caption:
      `${only} images: the accuracy in percent of classifiers that learned from synthetic images alone, from real ones, and of the latter on synthetic images.`,
    columns: ["learned from", "accuracy", "from real"],
    rows: onlyCells(worth, classifier),
  };
}
