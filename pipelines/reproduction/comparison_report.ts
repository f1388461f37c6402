/** A comparison as a table of text, as a contact sheet and as a report. */
import { png } from "../../datasets/formats/write_png.ts";
import type { Report } from "../report/report.ts";
import { type Framed, sheet } from "../report/sheet.ts";
import { COMPARED_METRICS, type ComparedVariant, type Comparison } from "./comparison.ts";
import type { Experiment } from "./experiment.ts";

const HEAD = ["", "prior", "context", "z-step", "LL", ...COMPARED_METRICS.slice(1), "ms an image"];
/** Columns of text; the others are numbers. */
const TEXTS = 4;

function cellsOf({ prior, contexts, zStep, scores, milliseconds }: ComparedVariant, row: number): string[] {
  const digits = (value: number, after: number) => Number.isFinite(value) ? value.toFixed(after) : "-";
  const decimals = (name: string) => name === "likelihood" ? 2 : name === "novelty" ? 4 : 3;
  const numbers = COMPARED_METRICS.map((name) => digits(scores[name], decimals(name)));
  const isVariant = milliseconds !== undefined;
  return [String(row), prior, contexts, isVariant ? zStep : "", ...numbers, isVariant ? digits(milliseconds, 1) : ""];
}

/** Writes the lines of a table of text. */
export function comparisonTable(rows: readonly ComparedVariant[]): string[] {
  const cells = [HEAD, ...rows.map(cellsOf)],
    widths = HEAD.map((_, c) => Math.max(...cells.map((row) => row[c].length)));
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
  return {
    title: `Priors, contexts and z-steps: ${plan.profile.name}`,
    lead: [
      `The same ${images} seed images and random numbers under every prior and context. ${findings.join(" ")}`,
      [
        "LL: how plausible the patches are.",
        "Originality: the distance to the nearest training image, divided by the distance of that one to its own nearest.",
        "Spread: near 0 if the images lie as densely among the training images as those do themselves.",
        "Sharpness: gradient energy relative to that of the training images.",
        "Novelty: the distance of patches to their nearest training patch.",
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
        columns: HEAD,
        rows: rows.map(cellsOf),
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
