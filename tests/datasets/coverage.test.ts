import { assert, assertEquals } from "@std/assert";
import { range } from "../../core/numbers.ts";
import { stream } from "../../core/random.ts";
import type { Images } from "../../core/types.ts";
import { coverage } from "../../datasets/coverage.ts";
import { newKernels } from "./formats/packs.ts";

/** Random images, of which some are alike. */
function images(count: number, side: number): Images {
  const random = stream(3),
    base = Array.from({ length: 5 }, () => Array.from({ length: side * side }, () => random.next()));
  const pixels = Uint8Array.from({ length: count * side * side }, (_, n) => {
    const i = Math.floor(n / (side * side)), mix = base[i % 5][n % (side * side)];
    return 255 * (0.8 * mix + 0.2 * random.next());
  });
  return { count, height: side, width: side, pixels };
}

/** The same choice, computed from nothing each time. */
function greedily({ pixels, width }: Images, among: number[], k: number): number[] {
  const length = width * width, of = (i: number) => pixels.subarray(i * length, (i + 1) * length);
  const squared = (a: Uint8Array, b: Uint8Array) => a.reduce((sum, value, p) => sum + (value - b[p]) ** 2, 0);
  const chosen: number[] = [];
  while (chosen.length < k) {
    const cost = (extra: number) => {
      const set = [new Uint8Array(length), ...[...chosen, extra].map(of)];
      return among.reduce((sum, j) => sum + Math.min(...set.map((one) => squared(one, of(j)))), 0);
    };
    const costs = among.map((i) => chosen.includes(i) ? Infinity : cost(i));
    chosen.push(among[costs.indexOf(Math.min(...costs))]);
  }
  return chosen.sort((a, b) => a - b);
}

Deno.test("coverage: each time the image that lessens the distances most, as computed plainly", () => {
  const all = images(40, 8), kernels = newKernels(), mark = kernels.mark();
  const among = [...range(40)].filter((i) => i % 7 !== 3);
  for (const k of [1, 2, 5, 12, 20]) assertEquals(coverage(kernels, all, among, k), greedily(all, among, k));
  assertEquals(kernels.mark(), mark);
});

Deno.test("coverage: one of each kind before two of any; all where there is room for all", () => {
  const all = images(60, 30), kernels = newKernels();
  assertEquals(new Set(coverage(kernels, all, range(60), 5).map((i) => i % 5)).size, 5);
  for (const k of [60, 100]) assertEquals(coverage(kernels, all, range(60), k), [...range(60)]);
});

Deno.test("coverage: images that are all the same are no trap; progress goes up to 1", () => {
  const kernels = newKernels(), same = { count: 50, height: 4, width: 4, pixels: new Uint8Array(800).fill(9) };
  const told: number[] = [];
  assertEquals(coverage(kernels, same, range(50), 20, (done) => told.push(done)).length, 20);
  assertEquals([told.at(-1), told.toSorted((a, b) => a - b)], [1, told]);
  assert(new Set(told).size > 10);
});
