import { assertEquals, assertThrows } from "@std/assert";
import { range } from "../../core/numbers.ts";
import { groupImages, numbersOfClass, seedNumbers } from "../../datasets/groups.ts";

Deno.test("groupImages: image i is of class i, around again; every image is in one group", () => {
  assertEquals(groupImages(range(8), [3, 5, 9]), [
    { label: 3, images: [0, 3, 6] },
    { label: 5, images: [1, 4, 7] },
    { label: 9, images: [2, 5] },
  ]);
  for (const count of [1, 9, 10, 11, 47]) {
    for (const classes of [1, 2, 10]) {
      const groups = groupImages(range(count), Array.from({ length: classes }, (_, label) => label));
      const all = groups.flatMap(({ images }) => images).sort((a, b) => a - b);
      assertEquals(all, Array.from({ length: count }, (_, i) => i));
      for (const { label, images } of groups) for (const image of images) assertEquals(image % classes, label);
    }
  }
});

Deno.test("groupImages: classes without images are left out; without classes all is one group", () => {
  assertEquals(groupImages(range(2), [0, 1, 2, 3]).map(({ label }) => label), [0, 1]);
  assertEquals(groupImages(range(3), [undefined]), [{ label: undefined, images: [0, 1, 2] }]);
  assertEquals(groupImages(range(2), [7]), [{ label: 7, images: [0, 1] }]);
  assertEquals([groupImages([], [0, 1]), groupImages(range(5), [])], [[], []]);
});

Deno.test("numbersOfClass: the images of a class; all of them without a class or without labels", () => {
  const labels = Uint8Array.of(2, 0, 2, 1, 2);
  assertEquals([0, 1, 2, 3].map((label) => [...numbersOfClass(labels, label, 5)]), [[1], [3], [0, 2, 4], []]);
  assertEquals([...numbersOfClass(labels, undefined, 5)], [0, 1, 2, 3, 4]);
  assertEquals([...numbersOfClass(undefined, 2, 3)], [0, 1, 2]);
});

Deno.test("seedNumbers: the i-th image of a class takes the i-th seed image of that class; classes without any are named", () => {
  const labels = Uint8Array.of(0, 1, 0), names = ["cats", "dogs", "owls"];
  assertEquals(seedNumbers({ label: 0, images: [0, 2, 4] }, 2, { count: 3, labels }), [0, 2, 0]);
  const fails = (label: number | undefined, seeds: Parameters<typeof seedNumbers>[2], sentence: string) => {
    assertThrows(() => seedNumbers({ label, images: [0] }, 2, seeds), Error, sentence);
  };
  fails(2, { count: 3, labels }, "Class 2 has no images to seed from");
  fails(2, { count: 3, labels, names }, "Class owls has no images to seed from");
  fails(undefined, { count: 0 }, "There are no images to seed from");
});
