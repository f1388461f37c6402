/** The generator against its published vectors and what uniform numbers look like, and the kernel against it. */
import { assert, assertAlmostEquals, assertEquals, assertLess, assertNotEquals } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { philox, seedKey, stream, toUniform } from "../../core/random.ts";
import { BATCHES, chiSquare, put, testBoth } from "../kernels_under_test.ts";

type Counter = [number, number, number, number];
/** Counter, key and block of philox4x32-10 in the known-answer tests of Random123. */
const KNOWN: [Counter, [number, number], number[]][] = [
  [[0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
  [
    [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
    [0xffffffff, 0xffffffff],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
];

Deno.test("philox: the known answers of Random123", () => {
  for (const [counter, key, block] of KNOWN) assertEquals([...philox(counter, key, new Uint32Array(4))], block);
});

Deno.test("toUniform: 53 bits of the two words, from 0 to just below 1", () => {
  assertEquals(toUniform(0, 0), 0);
  assertEquals(toUniform(0xffffffff, 0xffffffff), 1 - 2 ** -53);
  assertEquals(toUniform(0x80000000, 0), 0.5);
  assertEquals(toUniform(0, 1 << 11), 2 ** -53);
  assertEquals(toUniform(0, (1 << 11) - 1), 0);
});

Deno.test("seedKey: the two words of any safe seed", () => {
  assertEquals([0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER].map(seedKey), [
    [0, 0],
    [1, 0],
    [0xffffffff, 0],
    [0, 1],
    [0xffffffff, 0x1fffff],
  ]);
});

/** The first numbers of a stream. */
function first(length: number, ...name: [seed: number, a?: number, b?: number, c?: number]): number[] {
  const random = stream(...name);
  return Array.from({ length }, () => random.next());
}

Deno.test("stream: two numbers of each block, whose counter is the name and how far it has run", () => {
  const seed = 2 ** 40 + 5, blocks = [0, 1, 2].map((n) => philox([7, 8, 9, n], seedKey(seed), new Uint32Array(4)));
  const wanted = blocks.flatMap(([a, b, c, d]) => [toUniform(a, b), toUniform(c, d)]);
  assertEquals(first(6, seed, 7, 8, 9), wanted);
});

Deno.test("stream: the same name gives the same numbers, whoever asks in between; another name others", () => {
  const one = stream(1, 2), other = stream(1, 3), mixed: number[] = [];
  for (let i = 0; i < 10; i++) {
    mixed.push(one.next());
    other.next();
  }
  assertEquals(mixed, first(10, 1, 2));
  for (const name of [[2, 2], [1, 3], [1, 2, 1], [1, 2, 0, 1], [1 + 2 ** 32, 2]] as [number, ...number[]][]) {
    assertNotEquals(first(1, ...name), first(1, 1, 2));
  }
});

/** Asserts the moments, the evenness and the independence of neighbours that uniform numbers have. */
function assertUniform(numbers: ArrayLike<number>): void {
  const n = numbers.length, all = Array.from(numbers);
  assert(all.every((u) => u >= 0 && u < 1));
  const mean = (value: (u: number, i: number) => number) => all.reduce((sum, u, i) => sum + value(u, i), 0) / n;
  // Four standard deviations of each mean.
  assertAlmostEquals(mean((u) => u), 1 / 2, 4 * Math.sqrt(1 / 12 / n));
  assertAlmostEquals(mean((u) => (u - 0.5) ** 2), 1 / 12, 4 * Math.sqrt(1 / 180 / n));
  assertAlmostEquals(mean((u, i) => (u - 0.5) * (all[(i + 1) % n] - 0.5)), 0, 4 / 12 / Math.sqrt(n));
  for (const bins of [10, 100]) {
    const even = Array.from({ length: bins }, () => n / bins);
    // The leading digits and, times 1000, the digits behind them.
    for (const scale of [1, 1000]) {
      const counts = new Uint32Array(bins);
      for (const u of all) counts[Math.floor((u * scale % 1) * bins)]++;
      // Wilson and Hilferty's bound of one in ten thousand.
      const freedom = bins - 1, bound = freedom * (1 - 2 / (9 * freedom) + 3.72 * Math.sqrt(2 / (9 * freedom))) ** 3;
      assertLess(chiSquare(counts, even), bound);
    }
  }
}

Deno.test("stream: numbers are uniform, along a stream and across streams", () => {
  assertUniform(first(20000, 1));
  assertUniform(Array.from({ length: 20000 }, (_, a) => first(1, 1, a)[0]));
  assertUniform(Array.from({ length: 20000 }, (_, seed) => first(1, seed)[0]));
});

/** One number for each image, of the kernel. */
function uniforms(kernels: Kernels, [low, high]: number[], images: number[], [stage, location, draw]: number[]) {
  const height = kernels.mark(), out = kernels.allocate(8 * images.length);
  kernels.uniforms(low, high, put(kernels, Uint32Array.from(images)), images.length, stage, location, draw, out);
  const numbers = [...kernels.f64(out, images.length)];
  kernels.release(height);
  return numbers;
}

testBoth("uniforms: the known answers of Random123", (kernels) => {
  for (const [[image, ...rest], key, [high, low]] of KNOWN) {
    assertEquals(uniforms(kernels, key, [image], rest), [toUniform(high, low)]);
  }
});

testBoth("uniforms: a number for each image, by its own number and not by its place in the batch", (kernels) => {
  const key = seedKey(2 ** 50 + 3), rest = [1, 70000, 2 ** 32 - 1], images = [5, 0, 2 ** 32 - 1, 7, 5, 1, 2, 3, 4];
  const wanted = images.map((image) => {
    const [high, low] = philox([image, rest[0], rest[1], rest[2]], key, new Uint32Array(4));
    return toUniform(high, low);
  });
  for (const batch of BATCHES) {
    assertEquals(uniforms(kernels, key, images.slice(0, batch), rest), wanted.slice(0, batch));
  }
});

testBoth("uniforms: uniform across images, stages, locations and draws", (kernels) => {
  const run = (length: number) => Array.from({ length }, (_, i) => i);
  assertUniform(uniforms(kernels, [1, 0], run(20000), [0, 0, 0]));
  const over = (place: number) =>
    run(10000).flatMap((i) => uniforms(kernels, [1, 0], [3, 4], [0, 1, 2].map((at) => at === place ? i : 9)));
  for (const place of [0, 1, 2]) assertUniform(over(place));
});
