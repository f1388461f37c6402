import { assert, assertEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { pyramidSizes, seedImages } from "../../../core/pyramid.ts";
import { squareOf } from "../../../core/shape.ts";
import type { DataSet } from "../../../datasets/data_set.ts";
import { makePack, type PackOptions } from "../../../pipelines/synthesis/make_pack.ts";
import { packLength, readPack, writePack } from "../../../datasets/formats/pack.ts";
import { builtins } from "../../../plugins/mod.ts";
import { blobs, small } from "../../small_world.ts";
import { newKernels, smallPack } from "../../datasets/formats/packs.ts";

const planned = plan({ ...small, classwise: true }, builtins);
/** 60 training images, of class 4 twice as many as of 1 and of 9 together; 12 test images. */
const labels = (count: number) => Uint8Array.from({ length: count }, (_, i) => [4, 1, 4, 9, 4, 4][i % 6]);
const data: DataSet = {
  name: "blobs",
  title: "soft blobs",
  origin: "soft blobs from /somewhere",
  train: { images: { ...blobs(60, 14), channels: 1 }, labels: labels(60) },
  test: { images: blobs(12, 14, 2), labels: labels(12) },
  files: [],
};
const make = (choice: Partial<PackOptions> = {}, of: DataSet = data) => {
  return makePack(newKernels(), planned, of, { seedImagesPerClass: 200, ...choice });
};
const counts = (labels?: Uint8Array) => [1, 4, 9].map((label) => labels!.filter((one) => one === label).length);

Deno.test("makePack: without a limit all is in it, in its order; the origin names no place", () => {
  const pack = make();
  assertEquals(pack.train, data.train);
  assertEquals(pack.seeds.labels, data.test.labels);
  assertEquals(
    pack.seeds.images,
    seedImages(newKernels(), data.test.images, pyramidSizes(squareOf(16), 2), [...Array(12).keys()]),
  );
  assertEquals([pack.profile, pack.origin], [planned.profile, "soft blobs: 60 of 60 training images"]);
  assertEquals(readPack(writePack(pack)), pack);
});

Deno.test("makePack: a limit is kept, and what goes goes from every class alike", () => {
  const whole = packLength(make());
  for (const maxSize of [whole - 1, whole - 2000, whole - 6000, whole - 11000]) {
    const pack = make({ maxSize }), bytes = writePack(pack), { train } = pack;
    assertEquals(bytes.length, packLength(pack));
    assert(bytes.length <= maxSize && bytes.length > maxSize - 2 * 197, `${bytes.length} of ${maxSize}`);
    const [ones, fours, nines] = counts(train.labels);
    assert(ones >= 1 && Math.abs(ones - nines) <= 1 && Math.abs(fours - 4 * ones) <= 4, `${[ones, fours, nines]}`);
    // What stayed is what was, in its order.
    let from = 0;
    for (let i = 0; i < train.images.count; i++) {
      const image = train.images.pixels.subarray(i * 196, (i + 1) * 196).join();
      while (data.train.images.pixels.subarray(from * 196, (from + 1) * 196).join() !== image) assert(++from < 60);
      assertEquals(train.labels![i], data.train.labels![from++]);
    }
    assertEquals(writePack(make({ maxSize })), bytes, "the same again");
  }
});

Deno.test("makePack: some classes, some of each, some seed images", () => {
  const pack = make({ classes: [1, 9], seedImagesPerClass: 1 });
  assertEquals([counts(pack.train.labels), counts(pack.seeds.labels)], [[10, 0, 10], [1, 0, 1]]);
  assertEquals(pack.origin, "soft blobs: 20 of 60 training images");
  assertEquals(counts(make({ imagesPerClass: 7 }).train.labels), [7, 7, 7]);
  const { labels: _, ...train } = data.train, { labels: __, ...test } = data.test;
  const without = make({ seedImagesPerClass: 5 }, { ...data, train, test });
  assertEquals([without.train.images.count, without.seeds.count, without.seeds.labels], [60, 5, undefined]);
});

Deno.test("makePack: of a pack, with its own seed images", () => {
  const { train, seeds } = smallPack();
  const none = { images: { ...train.images, count: 0, pixels: new Uint8Array() }, labels: new Uint8Array() };
  const again = make({ seedImagesPerClass: 1, classes: [5, 7] }, {
    name: "p",
    origin: "",
    train,
    test: none,
    seeds,
    files: [],
  });
  assertEquals([again.train.images.count, again.seeds.labels], [16, Uint8Array.of(5, 7)]);
  assertEquals(again.seeds.images, seeds.images.slice(16, 48));
});

Deno.test("makePack: what cannot be packed", () => {
  const { labels: _, ...plain } = data.train;
  const cases: [Partial<PackOptions>, Partial<DataSet>, string][] = [
    [{ classes: [1, 3] }, {}, "Cannot pack class 3, which has no training images: expected classes of 1, 4, 9"],
    [
      { classes: [3] },
      { classes: [..."abcdefghij"] },
      "Cannot pack class d, which has no training images: expected classes of b, e, j",
    ],
    [{ classes: [1] }, { train: plain }, "Cannot pack class 1: the images of blobs have no labels"],
    [{ maxSize: 900 }, {}, "Cannot make a pack of 900 bytes: expected at least "],
    [
      {},
      { test: { ...data.test, labels: new Uint8Array(12).fill(1) } },
      "Cannot pack class 4: expected test images to make seed images from, got none",
    ],
  ];
  for (const [choice, change, sentence] of cases) {
    assertThrows(() => make(choice, { ...data, ...change }), Error, sentence);
  }
  const least = Number(/at least (\d+)/.exec((assertThrows(() => make({ maxSize: 900 }), Error)).message)![1]);
  assertEquals(counts(make({ maxSize: least }).train.labels), [1, 1, 1]);
});
