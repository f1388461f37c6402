import { assertAlmostEquals, assertEquals } from "@std/assert";
import { nearestTraining } from "../../core/nearest.ts";
import { pyramidSizes, range, trainingPyramid } from "../../core/pyramid.ts";
import { squareOf } from "../../core/shape.ts";
import { testBoth } from "../kernels_under_test.ts";
import { squaredDistance } from "../plain_synthesis.ts";
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
    pyramid = trainingPyramid(kernels, training, pyramidSizes(squareOf(16), 1)),
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
  "nearestTraining: a copy is at 0, the first of equals counts, and its twin is its nearest other",
  (kernels) => {
    const twice = { ...training, count: 4, pixels: training.pixels.slice(0, 4 * AREA) };
    twice.pixels.set(image(twice.pixels, 1), 3 * AREA);
    const pyramid = trainingPyramid(kernels, twice, pyramidSizes(squareOf(16), 1));
    assertEquals(nearestTraining(kernels, pyramid, image(twice.pixels, 3)), [
      { image: 1, distance: 0, trainingDistance: 0, other: 3 },
    ]);
  },
);

testBoth("nearestTraining: no other training image is Infinity away, and none at all is number -1", (kernels) => {
  const [one, none] = [1, 0].map((count) =>
    trainingPyramid(kernels, training, pyramidSizes(squareOf(16), 1), range(count))
  );
  const [only] = nearestTraining(kernels, one, image(queries, 0));
  assertEquals([only.image, only.trainingDistance, only.other], [0, Infinity, -1]);
  assertEquals(nearestTraining(kernels, none, image(queries, 0)), [
    { image: -1, distance: Infinity, trainingDistance: Infinity, other: -1 },
  ]);
  assertEquals(nearestTraining(kernels, one, new Uint8Array(0)), []);
});
