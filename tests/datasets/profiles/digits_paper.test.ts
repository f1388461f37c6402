import { assertEquals } from "@std/assert";
import { digitsPaper } from "../../../datasets/profiles/digits_paper.ts";
import { assertPaperTable, two } from "./paper_tables.ts";

/** Table 1 of the paper, row by row; l = 0, the finest layer, stands first. */
const TABLE = {
  L: 3,
  sizes: [4, 8, 16, 32],
  n: 6,
  overlap: [2, 2, 2],
  K: [4, 4, 2],
  window: [2, 1, 0],
  h: [two(3, 4, 5, 6), two(3, 4, 5, 6), [100, 100]],
  lambda: [two(-4, -4, -4, -4), two(-4, -4, -4, -4), [0, 0.1]],
  rho: [two(-10, -5, 0, 5), two(-10, -6.67, -3.33, 0), [0.01, 100]],
  offset: [[[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 0], [0, 0]]],
};

Deno.test("digits-paper: the paper's table 1, each class on its own, a square context", () => {
  assertPaperTable(digitsPaper, TABLE, ["square"]);
  assertEquals([digitsPaper.name, digitsPaper.dataset, digitsPaper.classwise], ["digits-paper", "mnist", true]);
});
