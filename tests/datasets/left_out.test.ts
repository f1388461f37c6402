/** Training images that are left out, and the numbers of the others. */
import { assertEquals, assertThrows } from "@std/assert";
import { keptImages, leftOut } from "../../datasets/left_out.ts";

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
