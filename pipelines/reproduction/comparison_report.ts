/** A comparison as a table of text, as a contact sheet and as a report. */
import { png } from "../../datasets/formats/write_png.ts";
import type { Report } from "../report/report.ts";
import { type Framed, sheet } from "../report/sheet.ts";
import type { ComparedDenoiser } from "./compared_denoisers.ts";
import type { ComparedVariant, Measured } from "./comparison.ts";
import type { Experiment } from "./experiment.ts";
import { textTable } from "../report/text_table.ts";
import { COPIES, SCORE_NOTES, scoreCells, scoreSections } from "./score_columns.ts";

/** A row of a comparison: of priors, contexts and z-steps, or of denoisers. */
type ComparedRow = ComparedVariant | ComparedDenoiser;

/** The titles of the columns that name a row. */
const PRIOR_NAMES = ["prior", "context", "z-step"], DENOISER_NAMES = ["denoiser", "options"];

/** The names of a row. The test images have no z-step. */
function namesOf(row: ComparedRow): string[] {
  if ("denoiser" in row) return [row.denoiser, row.options];
  return [row.prior, row.contexts, row.milliseconds === undefined ? "" : row.zStep];
}

/** Returns the titles of the columns and the cells of the rows; `texts` of the columns are text, the others numbers. */
function cellsOf(rows: readonly ComparedRow[]): { head: string[]; cells: string[][]; texts: number } {
  const named = rows.some((row) => "denoiser" in row), { titles, cells } = scoreCells(rows, named);
  const names = named ? DENOISER_NAMES : PRIOR_NAMES;
  return {
    head: ["", ...names, ...titles],
    cells: rows.map((row, r) => [String(r), ...namesOf(row), ...cells[r]]),
    texts: 1 + names.length,
  };
}

/** Writes the lines of a table of text. */
export function comparisonTable(rows: readonly ComparedRow[]): string[] {
  const { head, cells, texts } = cellsOf(rows);
  return textTable(head, cells, texts);
}

/** Says what is below the table on the terminal. */
export function comparisonNotes(rows: readonly ComparedRow[]): string[] {
  const ofDenoisers = rows.some((row) => "denoiser" in row);
  return [
    ...SCORE_NOTES,
    ...ofDenoisers ? [`copies: ${COPIES}`, `${NOT_AGAIN} synth keeps the profile's limits.`] : [],
  ];
}

const NOT_AGAIN = "No image was made again, however near it came to a training image.";

/** What the colours of the sheet mean. */
const SHEET_LEGEND = [["green", "TEST IMAGES"], ["blue", "SYNTHESIZED: THE NUMBER IS ITS ROW OF THE TABLE"]] as const;

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
  return png(sheet(groups, size, 1, Math.max(1, Math.floor(64 / size.width)), SHEET_LEGEND));
}

/** What a report of priors says. */
const PRIOR_WORDS = {
  title: "Priors, contexts and z-steps",
  lead: (images: number) => `The same ${images} seed images and random numbers under every prior and context.`,
  tests: "Row 0, for comparison, has the test images whose seed images were used.",
  scores: "Every prior and context, and the three z-steps.",
  pictures: ", from the same seed images. Green: the test images that the seed images were made from.",
};

/** What a report of denoisers says. */
const DENOISER_WORDS = {
  title: "Denoisers",
  lead: (images: number) => `The same noise for ${images} images under every denoiser. ${NOT_AGAIN}`,
  tests: "Row 0, for comparison, has test images.",
  scores: "The profile's denoiser, its options one at a time, the other denoisers, and profiles from seed images.",
  pictures: ", from the same noise. Green: test images.",
};

/** Makes the report. `picture` is the contact sheet, `images` the number of images of each row. */
export function comparisonReport(
  { plan, data, runner }: Experiment,
  { rows }: Pick<Measured<ComparedRow>, "rows">,
  { findings, picture, command, images }: {
    readonly findings: readonly string[];
    readonly picture: Uint8Array;
    readonly command: string;
    readonly images: number;
  },
): Report {
  const { head, cells } = cellsOf(rows), words = head.includes("denoiser") ? DENOISER_WORDS : PRIOR_WORDS;
  return {
    title: `${words.title}: ${plan.profile.name}`,
    lead: [words.lead(images), ...findings, words.tests].join(" "),
    command,
    settings: [["data", data.origin], ["images", String(images)], ["threads", String(runner.threads)]],
    sections: scoreSections({
      rows,
      head,
      cells,
      withCopies: head.includes("denoiser"),
      scores:
        `${words.scores} Time is wall-clock time on all threads, and CPU time is the sum of what all threads computed. What is made once for all images is left out: the fit of a prior.`,
      picture,
      pictured: `A row for each row of the table${words.pictures}`,
    }),
  };
}
