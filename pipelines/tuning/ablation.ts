/** Measures what each idea of a profile contributes: the profile, the profile without each idea, and the baseline. */
import type { Profile } from "../../core/profile.ts";
import type { Report } from "../report/report.ts";
import { type Measured, measureVariants } from "../reproduction/comparison.ts";
import type { Experiment, SeededImage } from "../reproduction/experiment.ts";
import { textTable } from "../report/text_table.ts";
import { type ProfileScores, scoreCells, scoreSections } from "../reproduction/score_columns.ts";
import { ideasOf } from "./ideas.ts";

/** A row of an ablation. */
interface AblationRow extends ProfileScores {
  /** The idea that is switched off; in other rows, what was measured. */
  readonly name: string;
  /** What the idea was reset to; "" in other rows. */
  readonly off: string;
}

/**
 * Synthesizes and measures the same images under every variant. The first row is that of the held-out images whose seed images
 * were used, the second that of the profile, the last that of the baseline.
 *
 * @throws {Error} if the baseline is wrong or has another number of layers
 */
export async function ablate(
  experiment: Experiment,
  baseline: Profile,
  images: readonly SeededImage[],
): Promise<Measured<AblationRow>> {
  const { runner, plan: { profile } } = experiment, ideas = ideasOf(profile, baseline, runner.plugins);
  const whole = (profile: Profile) => ({ name: profile.name, off: "", profile });
  const variants = [whole(profile), ...ideas, whole(baseline)], tests = { name: "held-out images", off: "" };
  return await measureVariants(experiment, { title: "Measuring", tests, variants }, images);
}

/** Columns of text; the others are numbers. */
const TEXTS = 3;

function cellsOf(rows: readonly AblationRow[]): { head: string[]; cells: string[][] } {
  const { titles, cells } = scoreCells(rows);
  const named = rows.map(({ name, off }, row) => [String(row), off ? `without ${name}` : name, off, ...cells[row]]);
  return { head: ["", "variant", "reset to", ...titles], cells: named };
}

/** Writes the lines of a table of text. */
export function ablationTable(rows: readonly AblationRow[]): string[] {
  const { head, cells } = cellsOf(rows);
  return textTable(head, cells, TEXTS);
}

/** Makes the report. `picture` is the contact sheet, `images` the number of images of each row. */
export function ablationReport(
  { plan: { profile, profile: { from } }, data, seed, runner }: Experiment,
  { rows }: Pick<Measured<AblationRow>, "rows">,
  { picture, command, images }: { readonly picture: Uint8Array; readonly command: string; readonly images: number },
): Report {
  const { head, cells } = cellsOf(rows);
  return {
    title: `What each idea of "${profile.name}" contributes`,
    lead: [
      `The profile, the profile without each of its ideas, and the baseline, with the same random numbers${
        from === "noise" ? ", and from the same seed images where images do not come from noise" : " and seed images"
      }: ${images} images each. Seed images are made of training images that were held out. Test images take no part.`,
      "Row 0, for comparison, has the held-out images whose seed images were used.",
    ].join(" "),
    command,
    settings: [
      ["data", data.origin],
      ["images", String(images)],
      ["random seed", String(seed)],
      ["threads", String(runner.threads)],
    ],
    sections: scoreSections({
      rows,
      head,
      cells,
      scores: "Each row from the third on switches one idea off; the last one is the baseline.",
      picture,
      pictured:
        "A row for each row of the table, from the same seed images. Green: the held-out images that the seed images were made from.",
    }),
  };
}
