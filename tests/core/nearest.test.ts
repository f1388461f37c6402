import { finish } from "../../core/steps.ts";
import { assertAlmostEquals, assertEquals } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { eachRow } from "../../core/image_distances.ts";
import { gather, nearestIn, nearestTraining, originalityDistances, toUnits } from "../../core/nearest.ts";
import { range } from "../../core/numbers.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { stream } from "../../core/random.ts";
import { squareOf } from "../../core/shape.ts";
import type { Rows } from "../../core/types.ts";
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

testBoth("originalityDistances: after many queries the means of blocks leave no nearest image out", (kernels) => {
  const mark = kernels.mark(), shapes: [side: number, channels: number][] = [[32, 1], [48, 3], [64, 1]];
  for (const [side, channels] of shapes) {
    const area = side * side * channels, count = 60;
    const random = stream(side), level = () => Math.floor(256 * random.next());
    // Sets of equal and of nearly equal images, with plain ones: bounds are met exactly, and ties go to the lower number.
    const pixels = new Uint8Array(count * area).map((_, p) => p % area < area / 2 ? level() : 128);
    for (const [to, from] of [[7, 3], [8, 3], [20, 19], [41, 40]]) {
      pixels.copyWithin(to * area, from * area, (from + 1) * area);
    }
    pixels[20 * area]++;
    pixels.fill(90, 50 * area, 51 * area).fill(91, 51 * area, 52 * area);
    const set: Rows = { count, channels, height: side, width: side, at: kernels.allocate(pixels.length) };
    kernels.u8(set.at, pixels.length).set(pixels);
    const asked = [3, 7, 8, 19, 20, 41, 50, 51, ...range(12)], queries = gather(kernels, set, asked);
    const changed = kernels.u8(queries.at, asked.length * area);
    for (let i = 8; i < asked.length; i++) for (let p = i; p < area; p += 2 + i) changed[i * area + p] = level();
    const { nearest, dG, dT, other } = originalityDistances(kernels, queries, set);
    const plain = nearestIn(kernels, queries, set);
    assertEquals([nearest, dG], [plain.index, plain.squared.map(toUnits)]);
    const own = nearestIn(kernels, gather(kernels, set, nearest), set, 1, undefined, 1);
    assertEquals([other, dT], [own.index, own.squared.map(toUnits)]);
  }
  kernels.release(mark);
});

testBoth(
  "originalityDistances: an image whose means are farther, by rounding alone, is still the nearest",
  (kernels) => {
    const mark = kernels.mark(), side = 32, area = side * side, count = 7, pixels = new Uint8Array(count * area);
    /** Changes a pixel of one of the 256 blocks of 2x2 pixels. */
    const add = (image: number, block: number, y: number, x: number, value: number) => {
      pixels[image * area + (2 * (block >> 4) + y) * side + 2 * (block & 15) + x] += value;
    };
    for (let image = 0; image < count; image++) {
      for (let block = 0; block < 256; block++) {
        // The mean is 50.25, rounded 50.
        for (const [y, x, value] of [[0, 1, 100], [1, 0, 1], [1, 1, 100]]) add(image, block, y, x, value);
        // The nearest image is at a squared distance of 256; its means are 50.5, rounded 51.
        if (image === 5) add(image, block, 0, 0, 1);
        // Five images are at 300, with the same means as the query, which is the last image.
        if (image < 5 && (block + 40 * image) % 256 < 150) {
          add(image, block, 0, 0, 1);
          add(image, block, 0, 1, -1);
        }
      }
    }
    const rows: Rows = {
      count: count - 1,
      channels: 1,
      height: side,
      width: side,
      at: kernels.allocate(pixels.length),
    };
    kernels.u8(rows.at, pixels.length).set(pixels);
    const queries = gather(kernels, { ...rows, count }, Array(20).fill(count - 1));
    const { nearest, dG } = originalityDistances(kernels, queries, rows);
    assertEquals([new Set(nearest), new Set(dG)], [new Set([5]), new Set([16 / 255])]);
    kernels.release(mark);
  },
);
