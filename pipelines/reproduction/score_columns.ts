/** The columns of tables that compare images by several metrics, and the sections of reports with such a table. */
import { isDifference } from "../assessment/paired.ts";
import type { Section } from "../report/report.ts";

/** How the images of a profile did. */
export interface ProfileScores {
  /** Scores by the name of the metric. */
  readonly scores: Readonly<Record<string, number>>;
  /** The least and the greatest value of an image, by the name of the metric. */
  readonly ranges: Readonly<Record<string, readonly [least: number, greatest: number]>>;
  /** The 95 % intervals of the scores, by the name of the metric; NaN where there is none. */
  readonly intervals: Readonly<Record<string, readonly [low: number, high: number]>>;
  /** How many images are copies by distance: their originality is below half of the least one of the test images of their class. */
  readonly copies: number;
  /**
   * The 95 % intervals of the differences from the first profile's scores, by the name of the metric: see `pairedDifference` and, for
   * images from another source, `independentDifference`. Undefined for the first profile and for the test images.
   */
  readonly differences?: Readonly<Record<string, readonly [low: number, high: number]>>;
  /** Wall-clock milliseconds per image; undefined for the test images. */
  readonly milliseconds?: number;
  /** Milliseconds of processor time per image, of all threads; undefined for the test images and where the host does not know. */
  readonly processor?: number;
}

/** A column of numbers. */
interface Column {
  readonly title: string;
  /** What its numbers say. */
  readonly about: string;
  readonly metric: string;
  /** 0: the least value of an image, 1: the greatest; the score where it is left out. */
  readonly end?: 0 | 1;
  /** 3 unless given. */
  readonly decimals?: number;
}

/** The columns of every comparison. Their metrics are measured for all rows. */
const COMPARED: readonly Column[] = [
  { title: "LL", metric: "likelihood", decimals: 2, about: "How plausible the patches are. Larger is more plausible." },
  {
    title: "originality",
    metric: "originality",
    about: "The distance to the nearest training image, divided by the distance of that one to its own nearest.",
  },
  { title: "least", metric: "originality", end: 0, about: "The originality of the image nearest to a training image." },
  {
    title: "judge",
    metric: "judge",
    about:
      "How well a classifier of edges and textures recognizes the images among real ones; 0.5: not at all, 1: always.",
  },
  {
    title: "highest correlation",
    metric: "closest-correlation",
    end: 1,
    about: "Of an image with a training image; a copy has 1.",
  },
  {
    title: "structure",
    metric: "structure",
    about:
      "The mean over the images of their highest correlation with a training image, after local mean and contrast are taken out.",
  },
  {
    title: "greatest",
    metric: "structure",
    end: 1,
    about: "The greatest structure of an image. A copy has 1, also one under other light.",
  },
  {
    title: "contrast",
    metric: "contrast",
    about: "The standard deviation of the pixels relative to that of the training images.",
  },
  { title: "sharpness", metric: "sharpness", about: "The gradient energy relative to that of the training images." },
  { title: "symmetry", metric: "symmetry", about: "The correlation of an image with its mirror image." },
  {
    title: "novelty",
    metric: "novelty",
    decimals: 4,
    about: "The distance of patches to their nearest training patch.",
  },
];

/** The columns that follow where their metrics were measured. */
const SOMETIMES: readonly Column[] = [
  {
    title: "spread",
    metric: "spread",
    about:
      "Near 0 if the images lie as densely among the training images as those do themselves. With fewer than 1000 images of a class it does not rank systems.",
  },
  { title: "precision", metric: "precision", about: "The part of the images that lie among training images." },
  { title: "recall", metric: "recall", about: "The part of the training images that lie among the images." },
  {
    title: "label accuracy",
    metric: "label-accuracy",
    about: "The part of the images that the nearest training images give their own class.",
  },
];

/** All columns, in their order. */
const COLUMNS: readonly Column[] = [...COMPARED, ...SOMETIMES];

/** The metrics that rows are compared by; the spread comes to them where every class has enough images for it. */
export const COMPARED_METRICS: readonly string[] = [...new Set(COMPARED.map(({ metric }) => metric))];

/** Says what the mark behind a number is. */
const MARKED =
  "* differs from row 1 by more than chance explains (95 %: of 20 equal ones, one has it); image by image, unless one of them is from noise and the other from seed images.";

/** What is said below a table of scores on the terminal. */
export const SCORE_NOTES = [
  "± half the width of the 95 % interval; where there is none, the images are too few.",
  MARKED,
] as const;

/** The columns of a table: those of metrics that have a value in one of its rows. */
function columnsOf(rows: readonly ProfileScores[]): readonly Column[] {
  return COLUMNS.filter(({ metric }) => rows.some(({ scores }) => Number.isFinite(scores[metric])));
}

/** What the number of copies is. */
export const COPIES =
  "How many images lie nearer to a training image than half of the least originality of the test images of their class.";

/** Says what the columns of a table of scores mean; `withCopies` as in `scoreCells`. */
function columnMeanings(rows: readonly ProfileScores[], withCopies = false): Section {
  const meanings = columnsOf(rows).map(({ title, about }) => [title, about]);
  return {
    title: "What the columns mean",
    figures: [{
      kind: "table",
      caption:
        "The scores. A column without a value in any row is left out: most often the images are too few for it. Behind ± is half the width of the 95 % interval; where there is none, the images are too few.",
      columns: ["column", "its numbers say"],
      rows: [...meanings, ...withCopies ? [["copies", COPIES]] : []],
    }],
  };
}

/** A table of scores with a row of images for each of its rows, as a report shows them. */
interface ScoreReport {
  readonly rows: readonly ProfileScores[];
  readonly head: readonly string[];
  readonly cells: readonly (readonly string[])[];
  /** As in `scoreCells`; false where it is left out. */
  readonly withCopies?: boolean;
  /** The caption of the table. */
  readonly scores: string;
  /** A PNG. */
  readonly picture: Uint8Array;
  /** The caption of the picture. */
  readonly pictured: string;
}

/** The sections of a report: the table, the images, and what the columns mean. */
export function scoreSections({ rows, head, cells, withCopies, scores, picture, pictured }: ScoreReport): Section[] {
  return [{
    title: "Scores",
    figures: [{ kind: "table", caption: scores, columns: head, rows: cells, note: MARKED }],
  }, {
    title: "Images",
    figures: [{ kind: "picture", caption: pictured, alt: "Rows of synthesized images", png: picture }],
  }, columnMeanings(rows, withCopies)];
}

/**
 * Returns the titles of the columns, and the cells of each row. A metric without a value in any row has no column. Half the width of
 * its 95 % interval follows each score.
 *
 * @param withCopies whether the number of copies is a column
 */
export function scoreCells(
  rows: readonly ProfileScores[],
  withCopies = false,
): { titles: string[]; cells: string[][] } {
  const columns = columnsOf(rows);
  const digits = (value: number, after: number) => Number.isFinite(value) ? value.toFixed(after) : "-";
  const isTimed = rows.some(({ processor }) => processor !== undefined);
  const timeOf = (milliseconds: number | undefined) => milliseconds === undefined ? "" : digits(milliseconds, 1);
  const cells = rows.map(({ scores, ranges, intervals, differences, copies, milliseconds, processor }) => [
    ...columns.map(({ metric, end, decimals = 3 }) => {
      if (end !== undefined) return digits(ranges[metric][end], decimals);
      const mark = differences && isDifference(differences[metric]) ? "*" : "", [low, high] = intervals[metric];
      const half = low < high ? ` ±${digits((high - low) / 2, decimals)}` : "";
      return digits(scores[metric], decimals) + half + mark;
    }),
    ...withCopies ? [String(copies)] : [],
    timeOf(milliseconds),
    ...isTimed ? [timeOf(processor)] : [],
  ]);
  const times = ["ms an image", ...isTimed ? ["CPU ms an image"] : []];
  const titles = [...columns.map(({ title }) => title), ...withCopies ? ["copies"] : [], ...times];
  return { titles, cells };
}
