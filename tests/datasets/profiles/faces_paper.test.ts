import { assertEquals } from "@std/assert";
import { facesPaper } from "../../../datasets/profiles/faces_paper.ts";
import { assertPaperTable, two } from "./paper_tables.ts";

const LAMBDA = two(-3, -2.625, -2.25, -1.875, -1.5, -1.125, -0.75, -0.375, 0);
const SPIN = [[0, 0], [1, 2], [2, 0], [0, 1], [2, 2], [1, 0], [0, 2], [2, 1], [1, 1]];

/** Table 2 of the paper, row by row; l = 0, the finest layer, stands first. */
const TABLE = {
  L: 4,
  sizes: [8, 16, 32, 64, 128],
  n: 8,
  overlap: [2, 2, 2, 4],
  K: [5, 9, 9, 4],
  window: [0, 0, 0, 0],
  h: [
    two(1, -0.25, -1.5, -2.75, -4),
    two(2, 1.25, 0.5, -0.25, -1, -1.75, -2.5, -3.25, -4),
    two(0, -0.25, -0.5, -0.75, -1, -1.25, -1.5, -1.75, -2),
    [10, 10, 10, 10],
  ],
  lambda: [two(-3, -2.25, -1.5, -0.75, 0), LAMBDA, LAMBDA, [0.001, 0.001, 0.001, 0.001]],
  rho: [
    two(-3, -1.25, 0.5, 2.25, 4),
    two(-3, -2.125, -1.25, -0.375, 0.5, 1.375, 2.25, 3.125, 4),
    two(-3, -2.375, -1.75, -1.125, -0.5, 0.125, 0.75, 1.375, 2),
    [0.001, 0.001, 0.001, 0.001],
  ],
  offset: [[[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]], SPIN, SPIN, [[0, 0], [1, 0], [0, 1], [1, 1]]],
};

Deno.test("faces-paper: the paper's table 2, all images together, a square and a horizontal context", () => {
  assertPaperTable(facesPaper, TABLE, ["square", "horizontal"]);
  assertEquals([facesPaper.name, facesPaper.dataset, facesPaper.classwise], ["faces-paper", "faces", false]);
});
