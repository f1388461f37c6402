import { assertEquals } from "@std/assert";
import { patchesOf } from "../../../plugins/metrics/metric_input.ts";

Deno.test("patchesOf: the plain grid along both sides, and where a patch's values are, channel by channel", () => {
  const { rows, columns, numbersAt } = patchesOf({ height: 5, width: 8 }, 2, 0), out = new Uint32Array(12);
  assertEquals([rows, columns], [[0, 2], [0, 2, 4, 6]]);
  numbersAt(2, 4, out);
  assertEquals([...out], [20, 21, 28, 29, 60, 61, 68, 69, 100, 101, 108, 109]);
});
