import { assert, assertEquals } from "@std/assert";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";

Deno.test("proceduralTextures: a wall and pebbles in colour, the same bytes every time", async () => {
  const { images, labels } = proceduralTextures();
  assertEquals([images.count, images.height, images.width, images.channels, [...labels]], [2, 128, 128, 3, [0, 1]]);
  assertEquals(proceduralTextures(), { images, labels });
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", images.pixels.slice())).toHex();
  // What every engine draws; where the drawing is changed on purpose, so is this.
  assertEquals(sum, "e66623ffa61ecf22794a868bcb845babb1851e99f268c9e95b57edf344e004f3");
});

Deno.test("proceduralTextures: both use dark and light; the wall is red, and of rows", () => {
  const { images: { pixels } } = proceduralTextures(), area = 128 * 128;
  for (const image of [0, 1]) {
    const grey = pixels.subarray((3 * image + 1) * area, (3 * image + 2) * area);
    assert(Math.max(...grey) - Math.min(...grey) > 120);
  }
  const mean = (channel: number) =>
    pixels.subarray(channel * area, (channel + 1) * area).reduce((a, b) => a + b) / area;
  assert(mean(0) > mean(1) + 20 && mean(1) > mean(2));
  // Seven rows of mortar at 14 pixels: blue, which mortar has and clay lacks, is brighter in one row of 14 than in most.
  const rows = Array.from({ length: 128 }, (_, y) => pixels.subarray(2 * area + y * 128, 2 * area + (y + 1) * 128));
  const light = rows.map((row) => row.reduce((a, b) => a + b) / 128), ordered = light.toSorted((a, b) => a - b);
  const mortar = [...light.keys()].filter((y) => light[y] > ordered[100]);
  assert(mortar.some((y) => y < 30) && mortar.some((y) => y > 98));
});
