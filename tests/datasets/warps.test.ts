import { assert, assertEquals } from "@std/assert";
import { stream } from "../../core/random.ts";
import {
  resampled,
  warpImage,
  warpImages,
  warpKinds,
  withWarpedImages,
  withWarpedTraining,
} from "../../datasets/warps.ts";
import { blobs, colouredBlobs } from "../small_world.ts";

Deno.test("warps: every kind moves pixels a little, each number otherwise, the same numbers alike", () => {
  const images = blobs(2, 28), numbers = [0, 0, 1];
  for (const kind of warpKinds) {
    const { count, pixels } = warpImages(images, numbers, kind, { seed: 3 });
    assertEquals(count, 3);
    const [a, b] = [0, 1].map((i) => pixels.subarray(i * 784, (i + 1) * 784)), own = images.pixels.subarray(0, 784);
    assert(a.some((value, p) => value !== b[p]), kind);
    const meanOf = (image: Uint8Array) => image.reduce((sum, value) => sum + value, 0) / 784;
    assert(Math.abs(meanOf(a) - meanOf(own)) < 25, kind);
    const changed = a.reduce((sum, value, p) => sum + Math.abs(value - own[p]), 0) / 784;
    assert(changed > 1 && changed < 40, `${kind}: ${changed}`);
    const [again] = [warpImages(images, [0], kind, { seed: 3, first: 1 })];
    assertEquals(again.pixels, b.slice());
  }
});

Deno.test("warps: a flat image stays flat, and numbers of 1/2 deform nothing", () => {
  const flat = new Uint8Array(3 * 6 * 10).fill(77), shape = { height: 6, width: 10, channels: 3 };
  for (const kind of warpKinds) assertEquals(warpImage(flat, shape, kind, stream(1)), flat);
  const images = colouredBlobs(1), still = { next: () => 0.5 };
  for (const kind of warpKinds) assertEquals(warpImage(images.pixels, images, kind, still), images.pixels);
});

Deno.test("warps: resampled pixels are interpolated, and repeat the border beyond it, in images of any size", () => {
  const image = Uint8Array.of(0, 10, 20, 40, 50, 60, 100, 110, 120, 140, 150, 160);
  const shape = { height: 2, width: 3, channels: 2 }, down = Float64Array.of(0, 0.5, -4, 9);
  const made = resampled(image, shape, down, Float64Array.of(0.5, 1, 7, 1.25));
  assertEquals([...made], [5, 30, 20, 53, 105, 130, 120, 153]);
});

Deno.test("warps: copies follow the images, with their labels", () => {
  const images = blobs(3, 8), set = { images, labels: Uint8Array.of(4, 5, 6) }, made = withWarpedImages(set, 2, 1);
  assertEquals([made.images.count, ...made.labels!], [9, 4, 5, 6, 4, 5, 6, 4, 5, 6]);
  assertEquals(made.images.pixels.subarray(0, images.pixels.length), images.pixels);
  assertEquals(withWarpedImages(set, 0, 1), set);
});

Deno.test("warps: copies of a data set are numbered after its images, as if those left out had never been there", () => {
  const train = { images: blobs(2, 8) }, data = { name: "", origin: "", files: [], train, test: train };
  const kept = { numbers: Uint32Array.of(0, 4), all: 5 };
  const warped = withWarpedTraining({ ...data, kept }, 2);
  assertEquals([...warped.kept!.numbers], [0, 4, 5, 9, 10, 14]);
  assertEquals([warped.kept!.all, warped.train.images.count, warped.test.images.count], [15, 6, 2]);
  assertEquals(withWarpedTraining(data, 2).train, warped.train);
});
