/** A comparison as a table of text, as a contact sheet and as a report. */
import { png } from "../../datasets/formats/write_png.ts";
import type { Report } from "../report/report.ts";
import { type Framed, sheet } from "../report/sheet.ts";
import type { ComparedVariant, Comparison, Measured } from "./comparison.ts";
import type { Experiment } from "./experiment.ts";
import { SCORE_COLUMNS, scoreCells, textTable } from "./score_columns.ts";

/** Columns of text; the others are numbers. */
const TEXTS = 4;

/** Returns the titles of the columns and the cells of the rows. */
function cellsOf(rows: readonly ComparedVariant[]): { head: string[]; cells: string[][] } {
  const { titles, cells } = scoreCells(rows);
  const named = rows.map(({ prior, contexts, zStep, milliseconds }, row) => {
    return [String(row), prior, contexts, milliseconds === undefined ? "" : zStep, ...cells[row]];
  });
  return { head: ["", "prior", "context", "z-step", ...titles], cells: named };
}

/** Writes the lines of a table of text. */
export function comparisonTable(rows: readonly ComparedVariant[]): string[] {
  const { head, cells } = cellsOf(rows);
  return textTable(head, cells, TEXTS);
}

/** Draws a row of images for each row of the table, with the number of the row below the first image. Returns a PNG. */
export function comparisonSheet(
  { plan: { sizes: [size] } }: Experiment,
  { pictures }: Pick<Measured, "pictures">,
): Uint8Array {
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
      `${SCORE_COLUMNS} Row 0, for comparison, has the test images whose seed images were used.`,
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
