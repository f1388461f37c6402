/** The Parzen window against the logarithm of the whole sum in float64. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { BATCHES, bytes, LENGTHS, put, putPlanes, question, testBoth } from "../kernels_under_test.ts";

/** Bytes of an image of the tests; plane p is compared with pixel PLACES[p]. */
const PIXELS = 30, PLACES = Uint32Array.from({ length: 256 }, (_, p) => p * 7 % PIXELS);

type Examples = Uint8Array[][];

/** log of the sum for each of `images`, by the kernel. */
function parzen(kernels: Kernels, scratch: number, examples: Examples, images: Uint8Array, per: number, behind = 255) {
  const height = kernels.mark(), planes = examples[0].length, batch = images.length / PIXELS;
  const table = putPlanes(kernels, examples, behind), at = put(kernels, PLACES), out = kernels.allocate(8 * batch);
  const count = examples[0][0].length, given = put(kernels, images);
  const segments = examples.length;
  const window = { table, numbers: at, planes, count, segments, images: given, pixels: PIXELS, batch, scratch };
  kernels.parzen(window, per, out);
  const logs = [...kernels.f64(out, batch)];
  kernels.release(height);
  return logs;
}

/** The same by summing everything. */
function wholeSum(examples: Examples, images: Uint8Array, per: number): number[] {
  return Array.from({ length: images.length / PIXELS }, (_, b) => {
    const distances = examples.flatMap((planes) =>
      Array.from(
        planes[0],
        (_, j) => planes.reduce((sum, plane, p) => sum + (plane[j] - images[b * PIXELS + PLACES[p]]) ** 2, 0),
      )
    );
    const least = distances.reduce((a, d) => Math.min(a, d), Infinity);
    return Math.log(distances.reduce((sum, d) => sum + Math.exp(per * (least - d)), 0)) - per * least;
  });
}

/** What is left out is below e^-24 a term: nothing, among so few. */
function assertSum(kernels: Kernels, scratch: number, examples: Examples, images: Uint8Array, per: number) {
  const wanted = wholeSum(examples, images, per);
  parzen(kernels, scratch, examples, images, per).forEach((log, b) =>
    assertAlmostEquals(log, wanted[b], 1e-9 * Math.max(1, Math.abs(wanted[b])), `image ${b} at ${per} a distance`)
  );
}

/** `segments` x `planes` of `count` random bytes. */
function random(count: number, segments: number, planes: number): Examples {
  return question(count, { segments, planes, count, batch: 0, k: 1 }).examples.map((one) => [...one]);
}

testBoth("parzen: the whole sum, from wide windows (sigma 1) to peaked ones", (kernels, scratch) => {
  for (const count of LENGTHS.slice(1)) {
    for (const batch of BATCHES) {
      const examples = random(count, 1 + count % 3, [2, 6, 24][batch % 3]), images = bytes(batch, batch * PIXELS);
      for (const per of [1 / (2 * 255 ** 2), Math.PI / 255 ** 2, 1e-3, 1]) {
        assertSum(kernels, scratch, examples, images, per);
      }
    }
  }
});

testBoth("parzen: nearer and nearer, farther and farther, all the same", (kernels, scratch) => {
  const falling = Uint8Array.from({ length: 256 }, (_, j) => 255 - j), rising = falling.toReversed();
  const equal = new Uint8Array(256).fill(9);
  for (const plane of [falling, rising, equal]) {
    for (const per of [Math.PI / 255 ** 2, 1e-2, 1]) {
      assertSum(kernels, scratch, [[plane, equal], [plane, plane]], new Uint8Array(5 * PIXELS), per);
    }
  }
});

testBoth("parzen: patches of 16x16 pixels as far apart as they can be, sigma 10", (kernels, scratch) => {
  const plane = Uint8Array.of(0, 255, 0, 128, 255, 20, 255, 1, 254), patch = Array.from({ length: 256 }, () => plane);
  for (const sigma of [1, 3, 10]) {
    assertSum(kernels, scratch, [patch], new Uint8Array(5 * PIXELS), 1 / (2 * sigma ** 2 * 255 ** 2));
  }
});

testBoth("parzen: one example is its distance, none -Infinity", (kernels, scratch) => {
  const farthest = [Array.from({ length: 24 }, () => Uint8Array.of(255))], black = new Uint8Array(PIXELS);
  assertEquals(parzen(kernels, scratch, farthest, black, 1e-4), [-1e-4 * 24 * 255 ** 2]);
  assertEquals(parzen(kernels, scratch, random(0, 2, 4), new Uint8Array(5 * PIXELS), 1), Array(5).fill(-Infinity));
});

testBoth("parzen: the bytes behind a plane do not matter", (kernels, scratch) => {
  const white = new Uint8Array(5 * PIXELS).fill(255);
  for (const count of LENGTHS) {
    const examples = random(count, 2, 4), logs = parzen(kernels, scratch, examples, white, 1e-4, 255);
    assertEquals(logs, parzen(kernels, scratch, examples, white, 1e-4, 0));
  }
});
