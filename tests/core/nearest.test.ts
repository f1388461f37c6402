import { finish } from "../../core/steps.ts";
import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { eachRow, gather, nearestIn, nearestTraining, toUnits } from "../../core/nearest.ts";
import { pyramidSizes, range, trainingPyramid } from "../../core/pyramid.ts";
import { squareOf } from "../../core/shape.ts";
import { testBoth, wasm } from "../kernels_under_test.ts";
import { squaredDistance } from "../plain_synthesis.ts";
import { distancesOf, first, line, rowsOf, subjects } from "../plugins/metrics/generators.ts";
import { blobs } from "../small_world.ts";

const AREA = 256;
const training = blobs(30), queries = blobs(7, 16, 5).pixels;
const image = (pixels: Uint8Array, i: number) => pixels.subarray(i * AREA, (i + 1) * AREA);

/** The number of the nearest training image, and how far it is, in [0, 1] units; `except` one. */
function nearest(query: Uint8Array, except = -1): { image: number; distance: number } {
  return Array.from({ length: training.count }, (_, i) => i)
    .filter((i) => i !== except)
    .map((i) => ({ image: i, distance: Math.sqrt(squaredDistance(query, image(training.pixels, i))) / 255 }))
    .reduce((best, other) => other.distance < best.distance ? other : best);
}

testBoth("nearestTraining: what brute force finds, for each image; and the neighbour's own neighbour", (kernels) => {
  const height = kernels.mark(),
    pyramid = finish(trainingPyramid(kernels, training, pyramidSizes(squareOf(16), 1))),
    before = kernels.mark();
  nearestTraining(kernels, pyramid, queries).forEach((found, i) => {
    const wanted = nearest(image(queries, i)), own = nearest(image(training.pixels, wanted.image), wanted.image);
    assertEquals(found.image, wanted.image);
    assertAlmostEquals(found.distance, wanted.distance, 1e-12);
    assertEquals(found.other, own.image);
    assertAlmostEquals(found.trainingDistance, own.distance, 1e-12);
  });
  assertEquals(kernels.mark(), before);
  kernels.release(height);
});

testBoth(
  "nearestTraining: a copy is at 0, the first of equals counts, and its nearest other is one that differs",
  (kernels) => {
    const twice = { ...training, count: 4, pixels: training.pixels.slice(0, 4 * AREA) };
    twice.pixels.set(image(twice.pixels, 1), 3 * AREA);
    const pyramid = finish(trainingPyramid(kernels, twice, pyramidSizes(squareOf(16), 1)));
    const [{ trainingDistance, other, ...nearest }] = nearestTraining(kernels, pyramid, image(twice.pixels, 3));
    const to = (i: number) => image(twice.pixels, i).reduce((sum, v, p) => sum + (v - twice.pixels[AREA + p]) ** 2, 0);
    const least = to(0) <= to(2) ? 0 : 2;
    assertEquals([nearest, other], [{ image: 1, distance: 0 }, least]);
    assertAlmostEquals(trainingDistance, Math.sqrt(to(least)) / 255, 1e-12);
  },
);

testBoth("nearestTraining: no other training image is Infinity away, and none at all is number -1", (kernels) => {
  const [one, none] = [1, 0].map((count) =>
    finish(trainingPyramid(kernels, training, pyramidSizes(squareOf(16), 1), range(count)))
  );
  const [only] = nearestTraining(kernels, one, image(queries, 0));
  assertEquals([only.image, only.trainingDistance, only.other], [0, Infinity, -1]);
  assertEquals(nearestTraining(kernels, none, image(queries, 0)), [
    { image: -1, distance: Infinity, trainingDistance: Infinity, other: -1 },
  ]);
  assertEquals(nearestTraining(kernels, one, new Uint8Array(0)), []);
});

testBoth("eachRow: every query once and in its order, at and around blocks of 4", (kernels) => {
  const set = line(0, 3, 7);
  for (const count of [0, 1, 3, 4, 5, 8, 17]) {
    const height = kernels.mark(), queries = line(...first(count)), seen: number[][] = [];
    const [from, to] = [rowsOf(kernels, queries), rowsOf(kernels, set)], mark = kernels.mark();
    eachRow(kernels, from, to, (query, squared) => seen.push([query, ...squared]));
    assertEquals(seen, first(count).map((i) => [i, i ** 2, (i - 3) ** 2, (i - 7) ** 2]));
    assertEquals(kernels.mark(), mark);
    kernels.release(height);
  }
});

Deno.test("eachRow: asks for as many queries at once as 2 MB of distances hold, four at least, and finds the same", () => {
  for (
    const [queries, count, batches] of [[10, 50, [10]], [10, 30000, [8, 2]], [7, 100000, [4, 3]], [0, 50, []]] as const
  ) {
    const height = wasm.mark(),
      from = rowsOf(wasm, line(...first(queries))),
      asked: number[] = [],
      allocated: number[] = [];
    const to = rowsOf(wasm, line(...Array.from({ length: count }, (_, i) => i % 251)));
    const counting: Kernels = {
      ...wasm,
      allocate: (size) => (allocated.push(size), wasm.allocate(size)),
      distances: (queries, batch, ...rest) => (asked.push(batch), wasm.distances(queries, batch, ...rest)),
    };
    const found: number[][] = [];
    eachRow(counting, from, to, (query, row) => found.push([query, row[0], row[count - 1]]));
    assertEquals([asked, allocated], [[...batches], [(batches[0] ?? 0) * count * 8]]);
    const last = (count - 1) % 251;
    assertEquals(found, Array.from({ length: queries }, (_, q) => [q, q ** 2, (q - last) ** 2]));
    wasm.release(height);
  }
});

testBoth("nearestIn: what sorting finds, the lower number first, one left out", (kernels) => {
  for (const { generated, training } of subjects().slice(0, 12)) {
    const height = kernels.mark(), [from, to] = [rowsOf(kernels, generated), rowsOf(kernels, training)];
    for (const k of [1, 2, 5, training.count + 1]) {
      for (const except of [() => -1, (i: number) => i % training.count]) {
        const { index, squared } = nearestIn(kernels, from, to, k, except);
        distancesOf(generated, training).forEach((row, query) => {
          const sorted = first(training.count).filter((i) => i !== except(query)).sort((a, b) =>
            row[a] - row[b] || a - b
          );
          for (let n = 0; n < k; n++) {
            assertEquals(index[query * k + n], sorted[n] ?? -1);
            const wanted = row[sorted[n]] ?? Infinity, found = toUnits(squared[query * k + n]);
            if (wanted === Infinity) assertEquals(found, Infinity);
            else assertAlmostEquals(found, wanted, 1e-14);
          }
        });
      }
    }
    kernels.release(height);
  }
});

testBoth("gather: copies the images of these numbers, in their order", (kernels) => {
  const set = rowsOf(kernels, line(10, 20, 30, 40)), { at, count, width } = gather(kernels, set, [3, 0, 3]);
  assertEquals([[...kernels.u8(at, 3)], count, width], [[40, 10, 40], 3, 1]);
});
