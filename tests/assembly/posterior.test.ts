/** Weights, draw and drawn patches against float64 and the obvious loops. */
import { assertAlmostEquals, assertEquals, assertLess } from "@std/assert";
import type { CandidateLists, Kernels } from "../../core/kernels.ts";
import { stream } from "../../core/random.ts";
import { assertClose, assertSame, bytes, chiSquare, floats, put, testBoth } from "../kernels_under_test.ts";

/** Two images of candidates among 4 HR images of 13 x 12 pixels and some channels, 2 segments. */
function candidates(kernels: Kernels, patch: number, channels: number) {
  const count = 4,
    width = 12,
    plane = 13 * width,
    stride = channels * plane,
    places = [[0, 0, 900], [3, 1, 7], [1, 1, 0], [2, 0, 4e9], [3, 0, 1], [0, 1, 2 ** 31]];
  const rows = bytes(patch, count * stride), corners = [width + 2, (width - patch) * (width + 1)];
  /** Byte n of the patch of a candidate: channel by channel, row by row. */
  const pixel = (candidate: number, n: number) => {
    const [example, segment] = places[candidate], y = Math.floor(n / patch) % patch, x = n % patch;
    return rows[example * stride + Math.floor(n / patch ** 2) * plane + corners[segment] + y * width + x];
  };
  const keys = Uint32Array.from(
    places.flatMap(([example, segment, distance]) => [segment * count + example, distance]),
  );
  const lists: CandidateLists = {
    weights: kernels.allocate(2 * 3 * 8),
    capacity: 3,
    found: 3,
    batch: 2,
    keys: put(kernels, keys),
    rows: put(kernels, rows),
    count,
    stride,
    channels,
    plane,
    width,
    corners: put(kernels, Uint32Array.from(corners)),
    patch,
  };
  return { lists, inPatch: channels * patch * patch, places, pixel };
}

testBoth("logPosterior: both distances by their factors, as in float64", (kernels) => {
  for (const [patch, channels] of [[2, 1], [4, 3], [6, 1], [6, 3], [8, 1], [10, 1], [10, 2]]) {
    const { lists, inPatch, places, pixel } = candidates(kernels, patch, channels);
    const measured = floats(patch, 2 * inPatch, -0.2, 1.2), k = lists.capacity;
    const wanted = places.map(([, , low], candidate) => {
      let high = 0;
      for (let i = 0; i < inPatch; i++) {
        high += (255 * measured[Math.floor(candidate / k) * inPatch + i] - pixel(candidate, i)) ** 2;
      }
      return -low * 1e-6 - high / 77;
    });
    kernels.logPosterior(lists, put(kernels, measured), 1e-6, 1 / 77);
    kernels.f64(lists.weights, 2 * k).forEach((log, c) =>
      assertAlmostEquals(log / wanted[c], 1, 1e-5, `candidate ${c}`)
    );
  }
});

Deno.test("logPosterior, categorical: the same bytes from kernel and twin, for odd and even numbers of candidates", () => {
  for (const [patch, channels] of [[2, 1], [4, 3], [6, 1], [6, 3], [8, 1], [10, 2]]) {
    for (const found of [1, 2, 3]) {
      assertSame((kernels) => {
        const { lists, inPatch } = candidates(kernels, patch, channels), drawn = kernels.allocate(8);
        const measured = put(kernels, floats(patch, 2 * inPatch, -0.2, 1.2));
        const uniform = put(kernels, Float64Array.from([0.3, 0.9]));
        kernels.logPosterior({ ...lists, found }, measured, 1e-6, 1 / 770000);
        kernels.categorical({ ...lists, found }, uniform, drawn);
      });
    }
  }
});

testBoth("takePatches: the drawn candidates' bytes and places", (kernels) => {
  for (const [patch, channels] of [[2, 1], [4, 3], [6, 1], [8, 1], [10, 2]]) {
    const { lists, inPatch, places, pixel } = candidates(kernels, patch, channels);
    const patches = kernels.allocate(2 * inPatch * 4), sources = kernels.allocate(16);
    for (const chosen of [[0, 0], [1, 2], [2, 1]]) {
      const drawn = put(kernels, Uint32Array.from(chosen)), candidate = (b: number) => b * 3 + chosen[b];
      kernels.takePatches(lists, drawn, patches, sources);
      kernels.f32(patches, 2 * inPatch).forEach((value, at) => {
        assertEquals(value, Math.fround(pixel(candidate(Math.floor(at / inPatch)), at % inPatch) / 255));
      });
      assertEquals([...kernels.i32(sources, 4)], [0, 1].flatMap((b) => places[candidate(b)].slice(0, 2)));
    }
  }
});

/** Draws once for each uniform number from the same weights. */
function draw(kernels: Kernels, logWeights: readonly number[], uniforms: readonly number[]): number[] {
  const height = kernels.mark(), k = logWeights.length, batch = uniforms.length, out = kernels.allocate(4 * batch);
  const weights = put(kernels, Float64Array.from(uniforms.flatMap(() => logWeights)));
  kernels.categorical({ weights, capacity: k, found: k, batch }, put(kernels, Float64Array.from(uniforms)), out);
  const drawn = [...kernels.i32(out, batch)];
  kernels.release(height);
  return drawn;
}

testBoth("categorical: 20000 draws follow the weights", (kernels) => {
  const weights = [0.1, 0, 0.4, 0.2, 0.3], random = stream(7), total = 20000;
  const count = (next: (i: number) => number) => {
    const counts = weights.map(() => 0);
    // In batches, as the memory of a job is small.
    for (let i = 0; i < total; i += 1000) {
      const uniforms = Array.from({ length: 1000 }, (_, j) => next(i + j));
      // Far from 0: only differences of logarithms may count.
      for (const drawn of draw(kernels, weights.map((weight) => Math.log(weight) - 1e4), uniforms)) counts[drawn]++;
    }
    return counts;
  };
  const wanted = weights.map((weight) => weight * total), even = count((i) => (i + 0.5) / total);
  assertClose(even, wanted, 1);
  const counts = count(() => random.next());
  assertEquals(counts[1], 0);
  const some = [0, 2, 3, 4];
  assertLess(chiSquare(some.map((c) => counts[c]), some.map((c) => wanted[c])), 16.3); // 3 degrees of freedom: 1 in 1000
});

testBoth("categorical: the ends", (kernels) => {
  const most = 1 - 2 ** -53, none = -Infinity;
  assertEquals(draw(kernels, [none, -2, -2, -3, none], [0, most]), [1, 3]);
  assertEquals(draw(kernels, [-5], [0, 0.5, most]), [0, 0, 0]);
  assertEquals(draw(kernels, [none, none, -7, none], [0, 0.5, most]), [2, 2, 2]);
  assertEquals(draw(kernels, [-1e300, -1e5, 0, -800, -1e8], [0, 0.5, most]), [2, 2, 2]);
});

testBoth("likeliest: the largest weight, the first where several have it", (kernels) => {
  const height = kernels.mark(),
    none = -Infinity,
    rows = [[-3, -1, -2], [-1, -1, -5], [none, -9, -9], [none, none, none]];
  const weights = put(kernels, Float64Array.from(rows.flat())), out = kernels.allocate(16);
  kernels.likeliest({ weights, capacity: 3, found: 3, batch: 4 }, out);
  assertEquals([...kernels.i32(out, 4)], [1, 0, 1, 0]);
  kernels.likeliest({ weights, capacity: 3, found: 1, batch: 4 }, out);
  assertEquals([...kernels.i32(out, 4)], [0, 0, 0, 0]);
  kernels.release(height);
});

testBoth("meanPatches: the candidates' patches by their weights, as in float64", (kernels) => {
  for (const [patch, channels] of [[2, 1], [4, 3], [6, 1], [8, 1], [10, 2]]) {
    const height = kernels.mark(),
      { lists, inPatch, pixel } = candidates(kernels, patch, channels),
      k = lists.capacity;
    const logs = [-1000, -1001, -1003, 0, -1e6, -0.5], patches = kernels.allocate(2 * inPatch * 4);
    kernels.f64(lists.weights, 2 * k).set(logs);
    kernels.meanPatches(lists, patches);
    const wanted = Array.from({ length: 2 * inPatch }, (_, at) => {
      const b = Math.floor(at / inPatch), own = [0, 1, 2].map((c) => Math.exp(logs[b * k + c] - logs[b * k]));
      const sum = own.reduce((total, weight, c) => total + weight * pixel(b * k + c, at % inPatch), 0);
      return sum / own.reduce((a, w) => a + w) / 255;
    });
    assertClose(kernels.f32(patches, 2 * inPatch), wanted, 1e-6);
    kernels.release(height);
  }
});
