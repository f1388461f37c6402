/** Training images that are left out, and the numbers of the others. */
import { assertEquals, assertThrows } from "@std/assert";
import { keptImages, leftOut, namesOfClass } from "../../datasets/left_out.ts";
import { withMirroredTraining } from "../../datasets/mirror.ts";

const FOUR = { images: { count: 4, height: 1, width: 1, pixels: new Uint8Array(4) } };
const NAMES = ["a.png", "b,c.png", "7.png", "d.png"];

Deno.test("keptImages: by number or file, in lists; the others keep their numbers", () => {
  const left = (...without: string[]) => leftOut({ train: FOUR, kept: keptImages(without, 4, NAMES) });
  assertEquals(left("2"), [2]);
  assertEquals(left("3, a.png", "3"), [0, 3]);
  assertEquals(left("b,c.png", "7.png"), [1, 2]);
  assertEquals([...keptImages(["1"], 4).numbers], [0, 2, 3]);
  assertEquals(leftOut({ train: FOUR }), []);
});

Deno.test("keptImages: what is no image is named, and one must stay", () => {
  assertThrows(() => keptImages(["4"], 4), Error, 'training image "4": expected a number from 0 to 3');
  for (const id of ["-1", "1.5", "", "1e1", "NaN", "99999999999999"]) assertThrows(() => keptImages([id], 40), Error);
  assertThrows(() => keptImages(["x.png"], 4, NAMES), Error, "or the name of a file such as a.png");
  assertThrows(() => keptImages(["0,1,2,3"], 4), Error, "Cannot leave out all 4 training images");
});

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
