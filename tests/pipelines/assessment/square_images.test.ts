import { assertEquals } from "@std/assert";
import { evenlySpaced, reduced, squareImages, unitVectors } from "../../../pipelines/assessment/square_images.ts";

Deno.test("squareImages and unitVectors: chosen images, padded to the profile's size, as numbers of [0, 1]", () => {
  const images = { count: 2, height: 2, width: 1, pixels: Uint8Array.of(1, 2, 51, 255) };
  const taken = squareImages({ images }, Uint32Array.of(1, 0, 1), 4);
  assertEquals([taken.count, taken.size], [3, 4]);
  const rows = unitVectors(taken);
  assertEquals(rows.map((row) => [row.length, row.filter((v) => v > 0).length]), [[16, 2], [16, 2], [16, 2]]);
  assertEquals(rows[0], rows[2]);
  assertEquals([...rows[0]].filter((v) => v > 0), [Math.fround(0.2), 1]);
});

Deno.test("evenlySpaced: all items of a few; of many the first, and the others evenly", () => {
  assertEquals([...evenlySpaced(3, 5)], [0, 1, 2]);
  assertEquals([...evenlySpaced(10, 4)], [0, 2, 5, 7]);
  assertEquals([...evenlySpaced(0, 4)], []);
});

Deno.test("reduced: halved, four pixels averaged to one, as often as it takes", () => {
  const images = { count: 2, size: 4, pixels: Uint8Array.from({ length: 32 }, (_, p) => p) };
  assertEquals(reduced(images, 4), images);
  assertEquals(reduced(images, 2).pixels, Uint8Array.of(3, 5, 11, 13, 19, 21, 27, 29));
  assertEquals(reduced(images, 1).pixels, Uint8Array.of(8, 24));
  const odd = { count: 1, size: 3, pixels: new Uint8Array(9) };
  assertEquals(reduced(odd, 1), odd);
});
