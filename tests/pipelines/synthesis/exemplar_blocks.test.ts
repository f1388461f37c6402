import { assertEquals } from "@std/assert";
import { anywhere, bestBlocks, misfitOf, takenBefore } from "../../../pipelines/synthesis/exemplar_blocks.ts";
import { distinct } from "../quilting/distinct_exemplars.ts";

const EXEMPLARS = distinct(2, 4, 5);

Deno.test("exemplar blocks: every one lies inside an exemplar", () => {
  assertEquals(anywhere(EXEMPLARS, 4), [0, 1, 60, 61]);
  assertEquals(anywhere(EXEMPLARS, 5), []);
});

Deno.test("bestBlocks: the best first, apart from each other, none much worse than the second", () => {
  const order = [61, 60, 0, 1], misfit = (block: number) => [1, 2, 3, 9][order.indexOf(block)];
  const best = (choices: number, apart: number, most: number) => {
    return bestBlocks(EXEMPLARS, 4, misfit, { choices, apart, least: 2, most });
  };
  assertEquals(best(1, 1, Infinity), [61]);
  assertEquals(best(4, 1, Infinity), order);
  assertEquals(best(4, 2, Infinity), [61, 0], "60 and 1 lie beside them");
  assertEquals(best(4, 1, 1.4), [61, 60]);
  assertEquals(best(4, 1, 1.5), [61, 60, 0]);
});

Deno.test("misfitOf: the squared differences of pairs of values; takenBefore: how often the pixels of a block were taken", () => {
  const out = Float32Array.of(0.5, 0, 0.25), misfit = misfitOf(Float32Array.of(0, 1, 0.5, 0.25), out, [0, 0, 2, 2]);
  assertEquals([misfit(0), misfit(1)], [0.25 + 0.0625, 0.25]);
  const before = takenBefore(EXEMPLARS, 2);
  before.take([60, 61, 60]);
  const part = before.part();
  assertEquals([part(60), part(61), part(62), part(0)], [0.75, 0.25, 0, 0]);
});
