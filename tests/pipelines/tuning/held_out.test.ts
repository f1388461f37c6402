import { assertEquals, assertThrows } from "@std/assert";
import type { DataSet } from "../../../datasets/data_set.ts";
import { heldOutSeeds, holdOut } from "../../../pipelines/tuning/held_out.ts";

/** Images of one pixel each, whose value is their number; the test image has another one. */
function dataOf(count: number, labels?: number[]): DataSet {
  const images = (values: number[]) => {
    return { count: values.length, height: 1, width: 1, pixels: Uint8Array.from(values) };
  };
  return {
    name: "dots",
    origin: "dots",
    files: [],
    train: {
      images: images(Array.from({ length: count }, (_, i) => i)),
      ...labels && { labels: Uint8Array.from(labels) },
    },
    test: { images: images([255]) },
  };
}

Deno.test("holdOut: every tenth image of each class, and no test image", () => {
  const { train, test, seeds, origin } = holdOut(dataOf(25));
  assertEquals([...test.images.pixels], [9, 19]);
  assertEquals([train.images.count, train.images.pixels.includes(255), seeds], [23, false, undefined]);
  assertEquals(origin, "dots; 23 training images, 2 held out of them for seed images");
  // Sorted by class: every tenth image of all would be of one class only.
  const labels = Array.from({ length: 40 }, (_, i) => Math.floor(i / 20)), split = holdOut(dataOf(40, labels));
  assertEquals([...split.test.images.pixels], [9, 19, 29, 39]);
  assertEquals([...split.test.labels!], [0, 0, 1, 1]);
  assertEquals(split.train.labels!.length, 36);
  assertEquals(holdOut({ ...dataOf(40, labels), classes: ["cats", "dogs"] }).classes, ["cats", "dogs"]);
});

Deno.test("holdOut: a class of fewer than ten images is an error", () => {
  const few = "Cannot hold training images of dots out: expected at least 10 images, got 9";
  assertThrows(() => holdOut(dataOf(9)), Error, few);
  const labels = Array.from({ length: 12 }, (_, i) => i < 10 ? 0 : 7);
  assertThrows(() => holdOut(dataOf(12, labels)), Error, "expected at least 10 images of class 7, got 2");
  const named = { ...dataOf(12, labels.map((label) => label && 1)), classes: ["cats", "dogs"] };
  assertThrows(() => holdOut(named), Error, "expected at least 10 images of class dogs, got 2");
});

Deno.test("heldOutSeeds: the classes in turn, each seed image again after the last, the first images the same for any count", () => {
  const labels = Array.from({ length: 40 }, (_, i) => Math.floor(i / 20)), data = holdOut(dataOf(40, labels));
  const seeds = heldOutSeeds({ data, labels: [0, 1] }, 6);
  assertEquals(seeds.map(({ number, test, label }) => [number, test, label]), [
    [0, 0, 0],
    [1, 2, 1],
    [2, 1, 0],
    [3, 3, 1],
    [4, 0, 0],
    [5, 2, 1],
  ]);
  assertEquals(heldOutSeeds({ data, labels: [0, 1] }, 3), seeds.slice(0, 3));
  assertEquals(heldOutSeeds({ data, labels: [0, 1] }, 2, 1).map(({ test, label }) => [test, label]), [[2, 1], [3, 1]]);
  const all = heldOutSeeds({ data, labels: [undefined] }, 5);
  assertEquals(all.map(({ test, label }) => [test, label]), [0, 1, 2, 3, 0].map((test) => [test, undefined]));
});
