import { assertEquals } from "@std/assert";
import { significant } from "../../../pipelines/report/significant.ts";

Deno.test("significant: four digits, integers as they are, no number as a dash, infinity by its name", () => {
  const texts: [number, string][] = [
    [0, "0"],
    [12345, "12345"],
    [-82.7349, "-82.73"],
    [0.98765, "0.988"],
    [1234.56, "1235"],
    [NaN, "-"],
    [-Infinity, "-Infinity"],
  ];
  for (const [value, text] of texts) assertEquals(significant(value), text);
});
