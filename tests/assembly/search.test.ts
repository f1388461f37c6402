/** Exact search against sorting all distances. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { ask, floats, LENGTHS, put, type Question, question, range, testBoth } from "../kernels_under_test.ts";

testBoth("toQueries: 255 * scale * value, rounded, clamped to what an example can be", (kernels) => {
  const pixels = 9, images = floats(1, 3 * pixels, -0.5, 1.5), numbers = [8, 0, 0, 5], scales = [128, 1, 0, 33];
  images.set([1, 0], 0);
  const out = kernels.allocate(3 * 4 * 2);
  const at = put(kernels, Uint32Array.from(numbers)), scale = put(kernels, Int16Array.from(scales));
  kernels.toQueries(put(kernels, images), pixels, 3, at, scale, 4, out);
  kernels.i16(out, 12).forEach((query, i) => {
    const value = images[Math.floor(i / 4) * pixels + numbers[i % 4]];
    // Half a step, and the rounding of f32 at the largest query.
    assertAlmostEquals(query, 255 * scales[i % 4] * Math.min(Math.max(value, 0), 1), 0.5 + 2 ** -8);
  });
  assertEquals(kernels.i16(out, 4)[1], 255);
});

/** The answer to a question by sorting all distances. */
function bruteForce({ examples, scale, queries, k }: Question): { index: number; distance: number }[][] {
  const count = examples[0][0].length;
  return queries.map((query) =>
    examples.flatMap((planes, segment) =>
      Array.from({ length: count }, (_, j) => ({
        index: segment * count + j,
        distance: scale.reduce((sum, factor, p) => sum + (factor * planes[p][j] - query[p]) ** 2, 0),
      }))
    ).sort((a, b) => a.distance - b.distance || a.index - b.index).slice(0, k)
  );
}

testBoth("search: the k nearest of a brute-force sort, nearest first", (kernels, scratch) => {
  for (const count of [...LENGTHS, 700]) {
    for (const [batch, planes] of [[1, 2], [4, 4], [5, 6], [9, 24]]) {
      for (const k of [1, 7, 100]) {
        const height = kernels.mark(), asked = question(count, { segments: 3, planes, count, batch, k });
        assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
        kernels.release(height);
      }
    }
  }
});

testBoth("search: equal distances come in the order of their indices", (kernels, scratch) => {
  for (const k of [1, 10, 300]) {
    const asked = question(1, { segments: 2, planes: 4, count: 150, batch: 5, k, levels: 1 });
    const first = Array.from({ length: k }, (_, index) => ({ index, distance: 0 }));
    assertEquals(ask(kernels, scratch, asked), asked.queries.map(() => first));
    const few = question(2, { segments: 2, planes: 2, count: 150, batch: 5, k, levels: 2 });
    assertEquals(ask(kernels, scratch, few), bruteForce(few));
  }
});

testBoth("search: every next example nearer than all before, so that each must enter the list", (kernels, scratch) => {
  const falling = Array.from(
    { length: 6 },
    (_, segment) =>
      [0, 1].map((plane) =>
        Uint8Array.from({ length: 200 }, (_, j) => 255 - ((segment * 200 + j) * (plane + 1) >> 4) % 256)
      ),
  );
  for (const k of [1, 2, 50, 1200]) {
    const asked = { examples: falling, scale: [16, 1], queries: range(0, 4, 5).map((b) => [b, 0]), k };
    assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
  }
});

testBoth("search: the largest scales and distances that are allowed do not overflow", (kernels, scratch) => {
  // sum(scale^2) * 255^2 = 33025 * 255^2 = 2147450625, the largest such sum below 2^31 - 1.
  const scale = [128, 128, 16, 1], top = scale.map((factor) => 255 * factor), none = scale.map(() => 0);
  const flat = (value: number) => scale.map(() => new Uint8Array(9).fill(value));
  for (const [value, query, distance] of [[255, none, 2147450625], [0, top, 2147450625], [255, top, 0]] as const) {
    const asked = { examples: [flat(value)], scale, queries: [query, query, query, query, query], k: 9 };
    assertEquals(bruteForce(asked)[0][0].distance, distance);
    assertEquals(ask(kernels, scratch, asked), bruteForce(asked));
  }
});

testBoth("search: the bytes behind a plane do not matter", (kernels, scratch) => {
  for (const count of LENGTHS) {
    const asked = question(count, { segments: 2, planes: 4, count, batch: 5, k: 20 });
    // Nearest to what lies behind: if it counted, it would win.
    const nearest = { ...asked, queries: asked.queries.map(() => asked.scale.map((factor) => 255 * factor)) };
    assertEquals(ask(kernels, scratch, { ...nearest, behind: 255 }), ask(kernels, scratch, { ...nearest, behind: 0 }));
    assertEquals(ask(kernels, scratch, nearest), bruteForce(nearest));
  }
});
