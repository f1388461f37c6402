import { assertAlmostEquals, assertEquals } from "@std/assert";
import { intervalOf, studentPoint } from "../../../pipelines/report/intervals.ts";

Deno.test("intervals: Student's t of the tables, and none of a single value", () => {
  for (const [degrees, point] of [[1, 12.706], [9, 2.262], [10, 2.228], [19, 2.093], [30, 2.042], [120, 1.98]]) {
    assertAlmostEquals(studentPoint(degrees), point, 0.003);
  }
  const { mean, half } = intervalOf([1, 2, 3, 4]);
  assertEquals(mean, 2.5);
  assertAlmostEquals(half, 3.182 * Math.sqrt(5 / 3 / 4), 1e-9);
  assertEquals(intervalOf([2]), { mean: 2, half: NaN });
});
