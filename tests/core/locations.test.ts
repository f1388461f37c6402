import { assert, assertEquals } from "@std/assert";
import { inOrder, locations, positions } from "../../core/locations.ts";
import { squareOf } from "../../core/shape.ts";
import { plan } from "../../core/plan.ts";
import { builtins } from "../../plugins/mod.ts";
import { profiles } from "../../datasets/profiles/mod.ts";

Deno.test("positions: the paper's 7 x 7 patches of a digit leave the last two columns uncovered", () => {
  assertEquals(positions(32, 6, 2, 0, false), [0, 4, 8, 12, 16, 20, 24]);
});

Deno.test("positions: with cover, the first and the last place are added where they are missing, and only there", () => {
  assertEquals(positions(32, 6, 2, 0, true), [0, 4, 8, 12, 16, 20, 24, 26]);
  assertEquals(positions(32, 6, 2, 1, true), [0, 1, 5, 9, 13, 17, 21, 25, 26]);
  assertEquals(positions(32, 6, 2, 2, true), [0, 2, 6, 10, 14, 18, 22, 26]);
  assertEquals(positions(8, 4, 0, 0, true), [0, 4]);
  assertEquals(positions(8, 4, 2, 0, false), [0, 2, 4]);
  // The offset alone may already be too far: one patch that fills the line stays.
  assertEquals([positions(8, 8, 2, 0, true), positions(8, 8, 2, 3, true), positions(8, 8, 2, 3, false)], [
    [0],
    [0],
    [],
  ]);
});

Deno.test("locations: all pairs, row by row; the offset is (x, y)", () => {
  assertEquals(locations(squareOf(6), 4, 2, [0, 0]), [{ y: 0, x: 0 }, { y: 0, x: 2 }, { y: 2, x: 0 }, { y: 2, x: 2 }]);
  const all = locations({ height: 19, width: 16 }, 4, 1, [2, 1]);
  assertEquals([...new Set(all.map(({ x }) => x))], [0, 2, 5, 8, 11, 12]);
  assertEquals([...new Set(all.map(({ y }) => y))], [0, 1, 4, 7, 10, 13, 15]);
  assertEquals(all.length, 42);
});

Deno.test("inOrder: a sweep visits each row from its centre outwards, the left of two first; rows stay as they are", () => {
  const places = locations({ height: 8, width: 16 }, 4, 1, [0, 0]), before = [...places];
  assertEquals(inOrder(places, "rows", 4, 16), places);
  const swept = inOrder(places, "sweep", 4, 16);
  assertEquals(places, before);
  // Columns 0, 3, 6, 9, 12: the patch of column 6 has its centre at 8.
  assertEquals(swept.map(({ x }) => x), [6, 3, 9, 0, 12, 6, 3, 9, 0, 12, 6, 3, 9, 0, 12]);
  assertEquals(swept.map(({ y }) => y), places.map(({ y }) => y));
  assertEquals(inOrder(locations(squareOf(8), 8, 0, [0, 0]), "sweep", 8, 8), [{ y: 0, x: 0 }]);
});

for (const profile of Object.values(profiles)) {
  Deno.test(`locations: every pixel is covered by every iteration of ${profile.name}, no location stands twice`, () => {
    // Of all layers, also those that images from noise and quilted ones do not take.
    const start = profile.aligned === false ? { quiltLayer: profile.layers.length } : { from: "test" as const };
    const { sizes, layers } = plan({ ...profile, ...start }, builtins);
    profile.layers.forEach(({ overlap, offsets }, l) => {
      const { height, width, patch } = layers[l];
      for (const offset of offsets) {
        const covered = new Set<number>(), places = locations(sizes[l], patch, overlap, offset);
        for (const { y, x } of places) {
          assert(y >= 0 && x >= 0 && y + patch <= height && x + patch <= width);
          for (let i = 0; i < patch * patch; i++) covered.add((y + Math.floor(i / patch)) * width + x + i % patch);
        }
        assertEquals(covered.size, height * width);
        assertEquals(new Set(places.map(({ y, x }) => y * width + x)).size, places.length);
      }
    });
  });
}
