import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { byteAfterKey, cellAfterKey, levelByte, LEVELS } from "../../../../hosts/web/views/levels.ts";

const brightest = fc.integer({ min: LEVELS, max: 255 }), byte = fc.integer({ min: 0, max: 255 });

Deno.test("levels: ten of them, from black to the brightest, evenly", () => {
  assertEquals(Array.from({ length: LEVELS }, (_, level) => levelByte(level, 90)), [
    0,
    10,
    20,
    30,
    40,
    50,
    60,
    70,
    80,
    90,
  ]);
  assertEquals(levelByte(4, 255), 113);
});

Deno.test("levels: digits set a level, + and - go to the next one from any byte, and stop at the ends", () => {
  fc.assert(fc.property(brightest, byte, (white, byte) => {
    for (let level = 0; level < LEVELS; level++) {
      assertEquals(byteAfterKey(byte, String(level), white), levelByte(level, white));
      assertEquals(
        byteAfterKey(levelByte(level, white), "+", white),
        levelByte(Math.min(level + 1, LEVELS - 1), white),
      );
      assertEquals(byteAfterKey(levelByte(level, white), "-", white), levelByte(Math.max(level - 1, 0), white));
    }
    const all = Array.from({ length: LEVELS }, (_, level) => levelByte(level, white));
    assertEquals(byteAfterKey(byte, "+", white), all.find((one) => one > byte) ?? white);
    assertEquals(byteAfterKey(byte, "-", white), all.findLast((one) => one < byte) ?? 0);
    assertEquals(["Tab", "a", "Enter", "10"].map((key) => byteAfterKey(byte, key, white)), Array(4).fill(undefined));
  }));
});

Deno.test("cells: arrows and ends move inside the grid, other keys do not", () => {
  const size = { height: 2, width: 3 };
  const after = (key: string) => cellAfterKey({ y: 1, x: 1 }, key, size);
  assertEquals(
    ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", "Tab"].map(after),
    [{ y: 0, x: 1 }, { y: 1, x: 1 }, { y: 1, x: 0 }, { y: 1, x: 2 }, { y: 1, x: 0 }, { y: 1, x: 2 }, { y: 0, x: 1 }, {
      y: 1,
      x: 1,
    }, undefined],
  );
});
