/** The names of training images in results. */
import { assertEquals } from "@std/assert";
import { keptImages, leftOut } from "../../datasets/left_out.ts";
import { withMirroredTraining } from "../../datasets/mirror.ts";
import { namesOfClass } from "../../datasets/training_names.ts";

Deno.test("namesOfClass: numbers among all images, also of mirror images and of crops", () => {
  const images = { count: 3, height: 1, width: 1, pixels: Uint8Array.of(5, 6, 7) };
  const train = { images, labels: Uint8Array.of(1, 2, 1) }, kept = keptImages(["1"], 4);
  const data = { name: "", origin: "", files: [], train, test: train, kept };
  assertEquals([0, 1, -1].map((place) => namesOfClass(data, 1)(place).image), [0, 3, null]);
  assertEquals([0, 1, 2].map((place) => namesOfClass(data)(place).image), [0, 2, 3]);
  const mirrored = withMirroredTraining(data), name = namesOfClass(mirrored, 1);
  assertEquals([0, 1, 2, 3].map((place) => name(place).image), [0, 3, 4, 7]);
  assertEquals(leftOut(mirrored), [1]); // its mirror image goes with it
  const crops = [{ image: 0, y: 0, x: 0 }, { image: 1, y: 0, x: 0 }, { image: 1, y: 0, x: 9 }];
  assertEquals(namesOfClass({ ...data, exemplars: { images: [], crops } })(2), { image: 2, y: 0, x: 9 });
});
