import { assertAlmostEquals, assertEquals } from "@std/assert";
import { originalityLimit } from "../../../pipelines/privacy/copies.ts";

Deno.test("originalityLimit: half of the least originality of held-out images that are no duplicates", () => {
  const { limit, duplicates } = originalityLimit(Float64Array.of(1.2, 0, 0.8, 0.04, 0.9));
  assertAlmostEquals(limit, 0.4);
  assertEquals(duplicates, 2);
  for (const values of [[], [0, 0.01]]) {
    const found = originalityLimit(Float64Array.from(values));
    assertEquals(found, { limit: NaN, duplicates: values.length });
  }
});
