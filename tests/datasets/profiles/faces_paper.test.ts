import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { squareOf } from "../../../core/shape.ts";
import { facesPaper } from "../../../datasets/profiles/faces_paper.ts";
import { builtins } from "../../../plugins/mod.ts";

/** Powers of two by their exponents, as the paper writes them. */
const two = (...exponents: number[]) => exponents.map((exponent) => 2 ** exponent);
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

Deno.test("faces-paper: the paper's table 2", () => {
  const { layers } = facesPaper;
  assertEquals(layers.length, TABLE.L);
  assertEquals(plan(facesPaper, builtins).sizes, TABLE.sizes.toReversed().map(squareOf));
  assertEquals(facesPaper.patch, TABLE.n);
  assertEquals(layers.map(({ overlap }) => overlap), TABLE.overlap);
  assertEquals(layers.map(({ iterations }) => iterations), TABLE.K);
  assertEquals(layers.map(({ window }) => window), TABLE.window);
  assertEquals(layers.map(({ h }) => h), TABLE.h);
  assertEquals(layers.map(({ lambda }) => lambda), TABLE.lambda);
  assertEquals(layers.map(({ rho }) => rho), TABLE.rho);
  assertEquals(layers.map(({ offsets }) => offsets.map(([x, y]) => [x, y])), TABLE.offset);
});

Deno.test("faces-paper: as many values as iterations in every list, all images together, a square and a horizontal context", () => {
  for (const { iterations, h, lambda, rho, offsets } of facesPaper.layers) {
    assertEquals([h, lambda, rho, offsets].map((list) => list.length), new Array(4).fill(iterations));
  }
  assertEquals([facesPaper.name, facesPaper.dataset, facesPaper.classwise], ["faces-paper", "faces", false]);
  const { prior, contexts } = plan(facesPaper, builtins);
  assertEquals([prior.plugin.name, contexts.map(({ plugin }) => plugin.name)], ["local-nn", ["square", "horizontal"]]);
});
