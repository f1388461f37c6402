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

Deno.test("withMirrorImages: keeps the classes of more images than a call takes arguments", () => {
  const count = 200_000, images = { count, height: 1, width: 1, pixels: new Uint8Array(count) };
  const { labels } = withMirrorImages({ images, labels: new Uint8Array(count).fill(3) });
  assertEquals([labels!.length, labels!.at(-1)], [2 * count, 3]);
});
