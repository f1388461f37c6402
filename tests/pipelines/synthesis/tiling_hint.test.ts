import { assertEquals, assertMatch } from "@std/assert";
import { periodsOf, tilingHint } from "../../../pipelines/synthesis/tiling_hint.ts";

/** Lines of 12 pixels, as in text. */
const LINES = {
  count: 1,
  height: 108,
  width: 40,
  pixels: Uint8Array.from({ length: 108 * 40 }, (_, p) => 128 + 90 * Math.sin(2 * Math.PI * Math.floor(p / 40) / 12)),
};

Deno.test("tilingHint: names the nearest size that holds whole lines, where the size does not", () => {
  const hint = (height: number, tile: "x" | "y" | "both") =>
    tilingHint(periodsOf(LINES), { height, width: 128 }, tile, 4);
  assertMatch(hint(128, "both")!, /every 12\.0 pixels in y: a height of 132 holds whole repetitions and tiles better/);
  assertMatch(hint(124, "y")!, /a height of 120 /);
  assertEquals([hint(120, "both"), hint(132, "y"), hint(128, "x")], [undefined, undefined, undefined]);
});

Deno.test("tilingHint: none for exemplars that do not repeat themselves, and where no size near fits", () => {
  const flat = { count: 1, height: 40, width: 40, pixels: new Uint8Array(1600).fill(9) };
  assertEquals(tilingHint(periodsOf(flat), { height: 50, width: 50 }, "both", 4), undefined);
  assertEquals(tilingHint(periodsOf(LINES), { height: 16, width: 16 }, "both", 16), undefined);
});
