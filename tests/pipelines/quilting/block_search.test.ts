import { assertEquals } from "@std/assert";
import { blocksOf } from "../../../pipelines/quilting/block_search.ts";
import { SourceMap } from "../../../pipelines/quilting/source_map.ts";

Deno.test("blocksOf: all blocks of a window's size, or those within reach of it that may be used", () => {
  const exemplars = { count: 2, height: 12, width: 20, channels: 1, values: new Float32Array(480) };
  const map = new SourceMap(exemplars, { height: 12, width: 20 }), target = { y: 3, x: 15, height: 4, width: 5 };
  const all = [...blocksOf(map, target)], rowOf = (block: number) => Math.floor(block % 240 / 20);
  assertEquals(all.length, 2 * (12 - 4 + 1) * (20 - 5 + 1));
  const near = all.filter((block) => Math.abs(rowOf(block) - 3) <= 4 && Math.abs(block % 20 - 15) <= 4);
  assertEquals([...blocksOf(map, target, { reach: 4 })], near);
  const mayUse = (block: number) => block % 2 === 0;
  assertEquals([...blocksOf(map, target, { reach: 4, mayUse })], near.filter(mayUse));
});
