import { assertEquals } from "@std/assert";
import { repeatedImage } from "../../../pipelines/synthesis/repeated_image.ts";

Deno.test("repeatedImage: repeats an image in the directions in which it tiles, channel by channel", () => {
  const shape = { height: 2, width: 2, channels: 3 }, pixels = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  const x = repeatedImage(shape, pixels, "x");
  assertEquals(x.shape, { height: 2, width: 4, channels: 3 });
  assertEquals([...x.pixels.subarray(0, 10)], [1, 2, 1, 2, 3, 4, 3, 4, 5, 6]);
  const y = repeatedImage(shape, pixels, "y");
  assertEquals(y.shape, { height: 4, width: 2, channels: 3 });
  assertEquals([...y.pixels.subarray(0, 10)], [1, 2, 3, 4, 1, 2, 3, 4, 5, 6]);
  const both = repeatedImage(shape, pixels, "both"), wide = [1, 2, 1, 2, 3, 4, 3, 4];
  assertEquals(both.shape, { height: 4, width: 4, channels: 3 });
  assertEquals([...both.pixels.subarray(0, 18)], [...wide, ...wide, 5, 6]);
});
