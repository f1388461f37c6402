import { assert, assertEquals } from "@std/assert";
import { fillWithBlocks } from "../../../pipelines/synthesis/fill_with_blocks.ts";
import { distinct, sourcesOf } from "../quilting/distinct_exemplars.ts";

Deno.test("fillWithBlocks: what is known stays, a hole in a part of the exemplar gets the pixels that were there", () => {
  const exemplars = distinct(1, 20, 24), size = { height: 20, width: 24 };
  const missing = Array.from({ length: 480 }, (_, p) => p % 24 >= 10 && p % 24 < 13 && p >= 8 * 24 && p < 11 * 24);
  const given = exemplars.values.map((value, i) => missing[i % 480] ? 0 : value);
  const numbers = Array.from({ length: 10 }, (_, n) => fillWithBlocks(exemplars, size, given, missing, 1, n));
  for (const filled of numbers) {
    filled.forEach((value, i) => !missing[i % 480] && assertEquals(value, given[i]));
    sourcesOf(exemplars, filled);
  }
  assert(
    numbers.some((filled) => filled.every((value, i) => value === exemplars.values[i])),
    "one of three choices fits",
  );
  assert(new Set(numbers.map(String)).size > 1, "another number chooses other blocks");
});
