import { assertEquals } from "@std/assert";
import { lowestTenth } from "../../../pipelines/reproduction/lowest_tenth.ts";

Deno.test("lowestTenth: no image twice, however short the run; evenly from the lowest tenth of a long one", () => {
  const order = (count: number) => Array.from({ length: count }, (_, i) => 1000 + i);
  assertEquals(lowestTenth(order(4), 16), order(4), "all of four");
  assertEquals(lowestTenth(order(100), 16), order(16));
  assertEquals(lowestTenth(order(1000), 4), [1000, 1025, 1050, 1075]);
  for (const count of [1, 5, 16, 17, 159, 161, 500]) {
    const chosen = lowestTenth(order(count), 16);
    assertEquals([new Set(chosen).size, chosen.length], [Math.min(count, 16), Math.min(count, 16)], `${count}`);
  }
});
