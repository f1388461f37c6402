/** The columns of tables that compare images by several metrics, and how a table is written as text. */
import { isDifference } from "../assessment/paired.ts";
import type { ProfileScores } from "./comparison.ts";

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
  { title: "structure", metric: "structure" },
  { title: "greatest", metric: "structure", end: 1 },
  { title: "contrast", metric: "contrast" },
  { title: "sharpness", metric: "sharpness" },
  { title: "symmetry", metric: "symmetry" },
  { title: "novelty", metric: "novelty", decimals: 4 },
  { title: "spread", metric: "spread" },
];

/** Says what the mark behind a number is. */
export const MARKED =
  "* differs from row 1 on the same images by more than chance explains (paired, 95 %: of 20 equal ones, one has it).";

/** Says what each column is. */
export const SCORE_COLUMNS = [
  "LL: how plausible the patches are.",
  "Originality: the distance to the nearest training image, divided by the distance of that one to its own nearest.",
  "Least: of the image nearest to a training image.",
  "Judge: how well a classifier of edges and textures recognizes the images among real ones; 0.5: not at all, 1: always.",
  "Highest correlation: of an image with a training image; a copy has 1.",
  "Structure: the mean over the images of their highest correlation with a training image, after local mean and contrast are taken out; greatest: of one image. A copy has 1, also one under other light.",
  "Contrast: standard deviation of the pixels relative to that of the training images.",
  "Sharpness: gradient energy relative to that of the training images.",
  "Symmetry: the correlation of an image with its mirror image.",
  "Novelty: the distance of patches to their nearest training patch.",
  "Spread: near 0 if the images lie as densely among the training images as those do themselves. With fewer than 1000 images of a class it does not rank systems and is left out.",
  MARKED,
].join(" ");

/** Returns the titles of the columns, and the cells of each row. A metric that was not measured has no column. */
export function scoreCells(rows: readonly ProfileScores[]): { titles: string[]; cells: string[][] } {
  const columns = COLUMNS.filter(({ metric }) => rows.some(({ scores }) => metric in scores));
  const digits = (value: number, after: number) => Number.isFinite(value) ? value.toFixed(after) : "-";
  const cells = rows.map(({ scores, ranges, differences, milliseconds }) => [
    ...columns.map(({ metric, end, decimals = 3 }) => {
      if (end !== undefined) return digits(ranges[metric][end], decimals);
      const mark = differences && isDifference(differences[metric]) ? "*" : "";
      return digits(scores[metric], decimals) + mark;
    }),
    milliseconds === undefined ? "" : digits(milliseconds, 1),
  ]);
  return { titles: [...columns.map(({ title }) => title), "ms an image"], cells };
}

/** Writes the lines of a table of text. The first `texts` columns are flush left, the others flush right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[], texts: number): string[] {
  const all = [head, ...rows], widths = head.map((_, c) => Math.max(...all.map((row) => row[c].length)));
  return all.map((row) => {
    const cells = row.map((cell, c) => c < texts ? cell.padEnd(widths[c]) : cell.padStart(widths[c]));
    return cells.join("  ").trimEnd();
  });
}
