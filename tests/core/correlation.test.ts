import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  closestCorrelations,
  highestCorrelations,
  meanHighestCorrelations,
  withMoments,
} from "../../core/correlation.ts";
import { stream } from "../../core/random.ts";
import type { Rows } from "../../core/types.ts";
import { put, twin, wasm } from "../kernels_under_test.ts";

const LENGTH = 30;

/** Images without a pattern; the last one is flat. */
function images(count: number, seed: number): Uint8Array {
  const random = stream(seed);
  const pixels = Uint8Array.from({ length: count * LENGTH }, () => Math.floor(256 * random.next()));
  return pixels.fill(7, (count - 1) * LENGTH);
}

function plainCorrelation(a: Uint8Array, b: Uint8Array): number {
  const mean = (values: Uint8Array) => values.reduce((sum, value) => sum + value, 0) / LENGTH;
  const [ma, mb] = [mean(a), mean(b)];
  let [both, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < LENGTH; i++) {
    both += (a[i] - ma) * (b[i] - mb);
    ofA += (a[i] - ma) ** 2;
    ofB += (b[i] - mb) ** 2;
  }
  return both / Math.sqrt(ofA * ofB);
}

for (const kernels of [wasm, twin]) {
  Deno.test(`correlations: the highest, and the mean of the highest, are those of plain loops (${kernels === twin ? "twin" : "wasm"})`, () => {
    const queries = images(6, 1), set = images(12, 2), mark = kernels.mark();
    const one = (pixels: Uint8Array, i: number) => pixels.subarray(i * LENGTH, (i + 1) * LENGTH);
    const rows = (pixels: Uint8Array): Rows => {
      return { count: pixels.length / LENGTH, height: 5, width: 6, channels: 1, at: put(kernels, pixels) };
    };
    const [q, s] = [rows(queries), rows(set)], except = (query: number) => query;
    const { correlation, nearest } = closestCorrelations(kernels, q, s, except);
    const means = meanHighestCorrelations(kernels, q, s, 3, except), all = meanHighestCorrelations(kernels, q, s, 99);
    const kept = highestCorrelations(kernels, q, withMoments(kernels, s), 3, except);
    assertEquals(kept, { highest: correlation, means }, "moments that were measured before");
    for (let query = 0; query < 5; query++) {
      const values = Array.from({ length: 11 }, (_, i) => plainCorrelation(one(queries, query), one(set, i)));
      const others = values.map((value, i) => i === query ? -2 : value);
      assertEquals(nearest[query], others.indexOf(Math.max(...others)));
      assertAlmostEquals(correlation[query], Math.max(...others), 1e-12);
      const highest = others.toSorted((a, b) => b - a).slice(0, 3);
      assertAlmostEquals(means[query], highest.reduce((sum, value) => sum + value, 0) / 3, 1e-12);
      assertAlmostEquals(all[query], values.reduce((sum, value) => sum + value, 0) / 11, 1e-12);
    }
    assertEquals([correlation[5], nearest[5], means[5]], [NaN, -1, NaN], "a flat image has no correlation");
    kernels.release(mark);
  });
}
