import { assertAlmostEquals, assertEquals } from "@std/assert";
import { eachRow, gather, nearestIn, toUnits } from "../../../core/nearest.ts";
import { ballsAround, ballsAt, patchesOf } from "../../../plugins/metrics/neighbours.ts";
import { put, testBoth, wasm } from "../../kernels_under_test.ts";
import type { Kernels } from "../../../core/kernels.ts";
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

Deno.test("eachRow: asks for as many queries at once as 2 MB of distances hold, four at least, and finds the same", () => {
  for (
    const [queries, count, batches] of [[10, 50, [10]], [10, 30000, [8, 2]], [7, 100000, [4, 3]], [0, 50, []]] as const
  ) {
    const height = wasm.mark(),
      from = rows(wasm, line(...first(queries))),
      asked: number[] = [],
      allocated: number[] = [];
    const to = rows(wasm, line(...Array.from({ length: count }, (_, i) => i % 251)));
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

Deno.test("patchesOf: the plain grid along both sides, and where a patch's values are, channel by channel", () => {
  const { rows, columns, numbersAt } = patchesOf({ height: 5, width: 8 }, 2, 0), out = new Uint32Array(12);
  assertEquals([rows, columns], [[0, 2], [0, 2, 4, 6]]);
  numbersAt(2, 4, out);
  assertEquals([...out], [20, 21, 28, 29, 60, 61, 68, 69, 100, 101, 108, 109]);
});
