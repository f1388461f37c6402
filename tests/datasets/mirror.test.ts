import { assertEquals } from "@std/assert";
import { withMirrorImages } from "../../datasets/mirror.ts";

Deno.test("withMirrorImages: each row of each channel is turned around, classes are kept", () => {
  const images = { count: 1, height: 2, width: 3, channels: 3, pixels: Uint8Array.from({ length: 18 }, (_, p) => p) };
  const { images: both, labels } = withMirrorImages({ images, labels: Uint8Array.of(7) });
  assertEquals([both.count, [...labels!]], [2, [7, 7]]);
  assertEquals([...both.pixels.subarray(0, 18)], [...images.pixels]);
  assertEquals([...both.pixels.subarray(18, 27)], [2, 1, 0, 5, 4, 3, 8, 7, 6]);
  assertEquals(withMirrorImages({ images }).labels, undefined);
});
