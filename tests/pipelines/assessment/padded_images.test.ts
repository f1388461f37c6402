import { assertEquals } from "@std/assert";
import { paddedImages, reduced, unitVectors } from "../../../pipelines/assessment/padded_images.ts";

Deno.test("paddedImages and unitVectors: chosen images, padded to the profile's size, as numbers of [0, 1]", () => {
  const images = { count: 2, height: 2, width: 1, pixels: Uint8Array.of(1, 2, 51, 255) };
  const taken = paddedImages({ images }, Uint32Array.of(1, 0, 1), { height: 4, width: 4 });
  assertEquals([taken.count, taken.height, taken.width, taken.channels], [3, 4, 4, 1]);
  const rows = unitVectors(taken);
  assertEquals(rows.map((row) => [row.length, row.filter((v) => v > 0).length]), [[16, 2], [16, 2], [16, 2]]);
  assertEquals(rows[0], rows[2]);
  assertEquals([...rows[0]].filter((v) => v > 0), [Math.fround(0.2), 1]);
});

Deno.test("reduced: halved, four pixels averaged to one, as often as it takes", () => {
  const images = { count: 2, height: 4, width: 4, pixels: Uint8Array.from({ length: 32 }, (_, p) => p) };
  assertEquals(reduced(images, 4), images);
  assertEquals(reduced(images, 2).pixels, Uint8Array.of(3, 5, 11, 13, 19, 21, 27, 29));
  assertEquals(reduced(images, 1).pixels, Uint8Array.of(8, 24));
  const odd = { count: 1, height: 3, width: 3, pixels: new Uint8Array(9) };
  assertEquals(reduced(odd, 1), odd);
});

Deno.test("paddedImages and reduced: every channel on its own, of images that are not square", () => {
  const pixels = Uint8Array.from({ length: 24 }, (_, i) => 10 * Math.floor(i / 8) + i % 4);
  const images = { count: 1, height: 2, width: 4, channels: 3, pixels };
  assertEquals(reduced(images, 2), { ...images, height: 1, width: 2, pixels: Uint8Array.of(1, 3, 11, 13, 21, 23) });
  const { channels, pixels: padded } = paddedImages({ images }, [0], { height: 4, width: 4 });
  assertEquals([channels, [...padded.subarray(16, 32)]], [3, [0, 0, 0, 0, 10, 11, 12, 13, 10, 11, 12, 13, 0, 0, 0, 0]]);
});
