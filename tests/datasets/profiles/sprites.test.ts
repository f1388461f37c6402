import { assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { sprites } from "../../../datasets/profiles/sprites.ts";
import { builtins } from "../../../plugins/mod.ts";

Deno.test("profile sprites: in colour, of 16x16 to 64x64 pixels", () => {
  const sides = (size: number) => plan({ ...sprites, size }, builtins).sizes.map(({ width }) => width);
  assertEquals(sides(24), [24, 12, 6, 3]);
  assertEquals(sides(16), [16, 8, 4, 2]);
  assertEquals(sides(64), [64, 32, 16, 8]);
  const { channels, pixelArt, aligned, layers } = plan(sprites, builtins);
  assertEquals([channels, pixelArt, aligned, layers.map(({ patch }) => patch)], [3, true, true, [6, 4, 4]]);
});
