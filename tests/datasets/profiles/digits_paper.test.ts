import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { squareOf } from "../../../core/shape.ts";
import { digitsPaper } from "../../../datasets/profiles/digits_paper.ts";
import { builtins } from "../../../plugins/mod.ts";

/** Powers of two by their exponents, as the paper writes them. */
const two = (...exponents: number[]) => exponents.map((exponent) => 2 ** exponent);

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

Deno.test("digits-paper: the paper's table 1", () => {
  const { layers } = digitsPaper;
  assertEquals(layers.length, TABLE.L);
  assertEquals(plan(digitsPaper, builtins).sizes, TABLE.sizes.toReversed().map(squareOf));
  assertEquals(digitsPaper.patch, TABLE.n);
  assertEquals(layers.map(({ overlap }) => overlap), TABLE.overlap);
  assertEquals(layers.map(({ iterations }) => iterations), TABLE.K);
  assertEquals(layers.map(({ window }) => window), TABLE.window);
  assertEquals(layers.map(({ h }) => h), TABLE.h);
  assertEquals(layers.map(({ lambda }) => lambda), TABLE.lambda);
  assertEquals(layers.map(({ rho }) => rho), TABLE.rho);
  assertEquals(layers.map(({ offsets }) => offsets.map(([x, y]) => [x, y])), TABLE.offset);
});

Deno.test("digits-paper: as many values as iterations in every list, each class on its own, a square context", () => {
  for (const { iterations, h, lambda, rho, offsets } of digitsPaper.layers) {
    assertEquals([h, lambda, rho, offsets].map((list) => list.length), new Array(4).fill(iterations));
  }
  assertEquals([digitsPaper.name, digitsPaper.dataset, digitsPaper.classwise], ["digits-paper", "mnist", true]);
  const { prior, contexts } = plan(digitsPaper, builtins);
  assertEquals([prior.plugin.name, contexts.map(({ plugin }) => plugin.name)], ["local-nn", ["square"]]);
});
