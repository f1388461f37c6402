import { assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { eachRow, gather, nearestIn, toUnits } from "../../../core/nearest.ts";
import { ballsAround, ballsAt, requireSquares } from "../../../plugins/metrics/neighbours.ts";
import { put, testBoth, wasm } from "../../kernels_under_test.ts";
import type { Kernels } from "../../../core/kernels.ts";
import type { MetricInput } from "../../../core/types.ts";
import { squareOf } from "../../../core/shape.ts";
import { distancesOf, first, type ImageSet, line, subjects } from "./generators.ts";

const rows = (kernels: Kernels, { count, size, pixels }: ImageSet) => ({
  count,
  ...squareOf(size),
  channels: 1,
  at: put(kernels, pixels),
});

testBoth("eachRow: every query once and in its order, at and around blocks of 4", (kernels) => {
  const set = line(0, 3, 7);
  for (const count of [0, 1, 3, 4, 5, 8, 17]) {
    const height = kernels.mark(), queries = line(...first(count)), seen: number[][] = [];
    const [from, to] = [rows(kernels, queries), rows(kernels, set)], mark = kernels.mark();
    eachRow(kernels, from, to, (query, squared) => seen.push([query, ...squared]));
    assertEquals(seen, first(count).map((i) => [i, i ** 2, (i - 3) ** 2, (i - 7) ** 2]));
    assertEquals(kernels.mark(), mark);
    kernels.release(height);
  }
});

testBoth("nearestIn: what sorting finds, the lower number first, one left out", (kernels) => {
  for (const { generated, training } of subjects().slice(0, 12)) {
    const height = kernels.mark(), [from, to] = [rows(kernels, generated), rows(kernels, training)];
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
  const set = rows(kernels, line(10, 20, 30, 40)), { at, count, width } = gather(kernels, set, [3, 0, 3]);
  assertEquals([[...kernels.u8(at, 3)], count, width], [[40, 10, 40], 3, 1]);
});

testBoth("ballsAround, ballsAt: rims belong to balls; without neighbours there are none", (kernels) => {
  const set = rows(kernels, line(0, 10, 40)), balls = ballsAround(kernels, set, 1, "drawn");
  assertEquals([[...balls.squared], balls.k, balls.warnings], [[100, 100, 900], 1, []]);
  assertEquals([...ballsAt(kernels, rows(kernels, line(0, 10, 20, 21, 71)), balls)], [2, 3, 2, 1, 0]);
  const lone = ballsAround(kernels, { ...set, count: 1 }, 3, "drawn");
  assertEquals([[...lone.squared], [...ballsAt(kernels, set, lone)]], [[NaN], [NaN, NaN, NaN]]);
});

Deno.test("eachRow: holds 4 rows at a time, as many queries a call as the kernel takes together", () => {
  const height = wasm.mark(), [from, to] = [rows(wasm, line(...first(10))), rows(wasm, line(...first(50)))];
  const batches: number[] = [], allocated: number[] = [];
  const counting: Kernels = {
    ...wasm,
    allocate: (size) => (allocated.push(size), wasm.allocate(size)),
    distances: (queries, batch, ...rest) => (batches.push(batch), wasm.distances(queries, batch, ...rest)),
  };
  eachRow(counting, from, to, () => {});
  assertEquals([batches, allocated], [[4, 4, 2], [4 * 50 * 8]]);
  wasm.release(height);
});

Deno.test("requireSquares: the side of square grey images, one sentence about others", () => {
  const of = (height: number, width: number, channels: number) => {
    const training = { count: 1, height, width, channels, at: 0 };
    return { training } as MetricInput;
  };
  assertEquals(requireSquares("x", of(4, 4, 1)), 4);
  for (const [input, found] of [[of(4, 6, 1), "6x4"], [of(4, 4, 3), "4x4 in colour"]] as const) {
    assertThrows(
      () => requireSquares("x", input),
      Error,
      `Cannot measure x: expected square grey images, got ${found}`,
    );
  }
});
