/** A comparison as a table of text, as a contact sheet and as a report. */
import { png } from "../../datasets/formats/write_png.ts";
import type { Report } from "../report/report.ts";
import { type Framed, sheet } from "../report/sheet.ts";
import type { ComparedVariant, Comparison } from "./comparison.ts";
import type { Experiment } from "./experiment.ts";

/** A column of numbers. */
interface Column {
  readonly title: string;
  readonly metric: string;
  /** 0: the least value of an image, 1: the greatest; the score where it is left out. */
  readonly end?: 0 | 1;
  /** 3 unless given. */
  readonly decimals?: number;
}

const COLUMNS: readonly Column[] = [
  { title: "LL", metric: "likelihood", decimals: 2 },
  { title: "originality", metric: "originality" },
  { title: "least", metric: "originality", end: 0 },
  { title: "judge", metric: "judge" },
  { title: "highest correlation", metric: "closest-correlation", end: 1 },
  { title: "contrast", metric: "contrast" },
  { title: "sharpness", metric: "sharpness" },
  { title: "symmetry", metric: "symmetry" },
  { title: "novelty", metric: "novelty", decimals: 4 },
  { title: "spread", metric: "spread" },
];
/** Columns of text; the others are numbers. */
const TEXTS = 4;

/** Returns the titles of the columns and the cells of the rows. A metric that was not measured has no column. */
function cellsOf(rows: readonly ComparedVariant[]): { head: string[]; cells: string[][] } {
  const columns = COLUMNS.filter(({ metric }) => rows.some(({ scores }) => metric in scores));
  const digits = (value: number, after: number) => Number.isFinite(value) ? value.toFixed(after) : "-";
  const cells = rows.map(({ prior, contexts, zStep, scores, ranges, milliseconds }, row) => {
    const numbers = columns.map(({ metric, end, decimals = 3 }) => {
      return digits(end === undefined ? scores[metric] : ranges[metric][end], decimals);
    });
    const isVariant = milliseconds !== undefined;
    return [String(row), prior, contexts, isVariant ? zStep : "", ...numbers, isVariant ? digits(milliseconds, 1) : ""];
  });
  const head = ["", "prior", "context", "z-step", ...columns.map(({ title }) => title), "ms an image"];
  return { head, cells };
}

/** Writes the lines of a table of text. */
export function comparisonTable(rows: readonly ComparedVariant[]): string[] {
  const { head, cells: body } = cellsOf(rows),
    cells = [head, ...body],
    widths = head.map((_, c) => Math.max(...cells.map((row) => row[c].length)));
  return cells.map((row) => {
    return row.map((cell, c) => c < TEXTS ? cell.padEnd(widths[c]) : cell.padStart(widths[c])).join("  ");
  });
}

/** Draws a row of images for each row of the table, with the number of the row below the first image. Returns a PNG. */
export function comparisonSheet({ plan: { sizes: [size] } }: Experiment, { pictures }: Comparison): Uint8Array {
  const groups = pictures.map((images, row) =>
    images.map((pixels, i): Framed => ({
      pixels,
      colour: row === 0 ? "green" : "blue",
      text: i === 0 ? String(row) : undefined,
    }))
  );
  return png(sheet(groups, size, 1, Math.max(1, Math.floor(64 / size.width))));
}

/** Makes the report. `picture` is the contact sheet, `images` the number of images of each row. */
export function comparisonReport(
  { plan, data, runner }: Experiment,
  { rows }: Comparison,
  { findings, picture, command, images }: {
    readonly findings: readonly string[];
    readonly picture: Uint8Array;
    readonly command: string;
    readonly images: number;
  },
): Report {
  const { head, cells } = cellsOf(rows);
  return {
    title: `Priors, contexts and z-steps: ${plan.profile.name}`,
    lead: [
      `The same ${images} seed images and random numbers under every prior and context. ${findings.join(" ")}`,
      [
        "LL: how plausible the patches are.",
        "Originality: the distance to the nearest training image, divided by the distance of that one to its own nearest.",
        "Least: of the image nearest to a training image.",
        "Judge: how well a classifier of edges and textures recognizes the images among real ones; 0.5: not at all, 1: always.",
        "Highest correlation: of an image with a training image; a copy has 1.",
        "Contrast: standard deviation of the pixels relative to that of the training images.",
        "Sharpness: gradient energy relative to that of the training images.",
        "Symmetry: the correlation of an image with its mirror image.",
        "Novelty: the distance of patches to their nearest training patch.",
        "Spread: near 0 if the images lie as densely among the training images as those do themselves. With fewer than 1000 images of a class it does not rank systems and is left out.",
        "Row 0, for comparison, has the test images whose seed images were used.",
      ].join(" "),
    ].join("\n\n"),
    command,
    settings: [["data", data.origin], ["images", String(images)], ["threads", String(runner.threads)]],
    sections: [{
      title: "Scores",
      figures: [{
        kind: "table",
        caption:
          "Every prior and context, and the three z-steps. Time is wall-clock time on all threads, fitting included.",
        columns: head,
        rows: cells,
      }],
    }, {
      title: "Images",
      figures: [{
        kind: "picture",
        caption:
          "A row for each row of the table, from the same seed images. Green: the test images that the seed images were made from.",
        alt: "Rows of synthesized images",
        png: picture,
      }],
    }],
  };
}
