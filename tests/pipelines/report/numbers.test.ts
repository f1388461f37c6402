import { assertEquals } from "@std/assert";
import { decimalsOf, fixed, significant } from "../../../pipelines/report/numbers.ts";

Deno.test("significant: four digits, integers as they are, no number as a dash, infinity by its name", () => {
  const texts: [number, string][] = [
    [0, "0"],
    [-0, "0"],
    [12345, "12345"],
    [-82.7349, "-82.73"],
    [0.98765, "0.988"],
    [1234.56, "1235"],
    [0.00012345, "0.00012"],
    [-0.00012345, "-0.00012"],
    [NaN, "-"],
    [-Infinity, "-Infinity"],
  ];
  for (const [value, text] of texts) assertEquals(significant(value), text);
});

Deno.test("fixed: what rounds to zero has no minus sign", () => {
  assertEquals([-0.001, -0, 0.001, -0.006, -1.5].map((value) => fixed(value, 2)), [
    "0.00",
    "0.00",
    "0.00",
    "-0.01",
    "-1.50",
  ]);
});

Deno.test("decimalsOf: as many as tell most numbers apart, two at the least", () => {
  assertEquals(decimalsOf([0, -0.5, -1.25]), 2);
  assertEquals(decimalsOf([0, -0.0011, -0.0022, -0.0034]), 3);
  assertEquals(decimalsOf([0, -1e-9, -2e-9]), 6);
  assertEquals(decimalsOf([1, 1, 1]), 2);
  assertEquals(decimalsOf([]), 2);
});
