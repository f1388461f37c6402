import { assert, assertEquals } from "@std/assert";
import { horizontal } from "../../../plugins/contexts/horizontal.ts";

Deno.test("horizontal: the patch's rows across the image, wherever in it the patch stands", () => {
  for (const [patch, size] of [[3, 16], [4, 8], [2, 2]]) {
    const pixels = horizontal.create({ weight: 0.2, step: 1 }).mask(patch, size);
    assertEquals(new Set(pixels.map(({ dy, dx }) => `${dy} ${dx}`)).size, pixels.length);
    for (const { dy, dx, weight } of pixels) {
      assert(dy >= 0 && dy < patch && (dx < 0 || dx >= patch) && weight === 0.2, `${dy} ${dx}`);
    }
    for (let x = 0; x + patch <= size; x++) {
      const across = pixels.filter(({ dy, dx }) => dy === patch - 1 && x + dx >= 0 && x + dx < size);
      assertEquals(across.length, size - patch);
    }
  }
});

Deno.test("horizontal: every step-th column to both sides, the nearest first", () => {
  const pixels = horizontal.create({ weight: 0.2, step: 3 }).mask(2, 8);
  const columns = (row: number) => pixels.filter(({ dy }) => dy === row).map(({ dx }) => dx);
  assertEquals([columns(0), columns(1), columns(2)], [[-1, -4, -7, 2, 5], [-1, -4, -7, 2, 5], []]);
});
