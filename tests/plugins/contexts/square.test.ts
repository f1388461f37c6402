import { assert, assertEquals } from "@std/assert";
import { square } from "../../../plugins/contexts/square.ts";

Deno.test("square: a ring of `extent` pixels around the patch, each once, with the weight", () => {
  for (const [patch, extent] of [[3, 1], [4, 2], [2, 3], [1, 1]]) {
    const pixels = square.create({ extent, weight: 0.3 }).mask(patch, 16), side = patch + 2 * extent;
    assertEquals(pixels.length, side * side - patch * patch);
    assertEquals(new Set(pixels.map(({ dy, dx }) => `${dy} ${dx}`)).size, pixels.length);
    for (const { dy, dx, weight } of pixels) {
      // How far it is from the patch: at least 1, at most the extent.
      const away = Math.max(-dy, -dx, dy - patch + 1, dx - patch + 1);
      assert(away >= 1 && away <= extent && weight === 0.3, `${dy} ${dx}`);
    }
  }
});

Deno.test("square: around one pixel", () => {
  const pixels = square.create({ extent: 1, weight: 0.5 }).mask(1, 4).map(({ dy, dx }) => [dy, dx]);
  assertEquals(pixels, [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]]);
});

Deno.test("square: names no pixels further away than the image is large", () => {
  assertEquals(
    square.create({ extent: 64, weight: 0.3 }).mask(4, 16),
    square.create({ extent: 16, weight: 0.3 }).mask(4, 16),
  );
});
