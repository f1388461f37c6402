import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import {
  areaUnderCurve,
  copyingScore,
  proportion,
  quantile,
  truePositives,
} from "../../../pipelines/privacy/statistics.ts";

/** Numbers with ties, the same every time. */
function numbers(count: number, seed: number, shift = 0): number[] {
  const random = stream(seed);
  return Array.from({ length: count }, () => Math.floor(20 * (random.next() + random.next())) + shift);
}

Deno.test("areaUnderCurve: all pairs, ties half, and DeLong's interval in plain loops", () => {
  for (const [seed, shift] of [[1, 0], [2, 3], [3, -5]]) {
    const members = numbers(40, seed, shift), others = numbers(55, seed + 9);
    const beats = (a: number, b: number) => a > b ? 1 : a === b ? 0.5 : 0;
    const pairs = members.map((a) => others.map((b) => beats(a, b)));
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const area = mean(pairs.flat());
    const ofMembers = pairs.map(mean), ofOthers = others.map((_, j) => mean(pairs.map((row) => row[j])));
    const variance = (values: readonly number[]) =>
      values.reduce((sum, value) => sum + (value - area) ** 2, 0) / (values.length - 1);
    const error = Math.sqrt(variance(ofMembers) / 40 + variance(ofOthers) / 55);
    const { value, interval } = areaUnderCurve(members, others);
    assertAlmostEquals(value, area, 1e-12);
    assertAlmostEquals(interval[0], area - 1.959964 * error, 1e-9);
    assertAlmostEquals(interval[1], area + 1.959964 * error, 1e-9);
  }
  assertEquals(areaUnderCurve([3, 4], [1, 2]), { value: 1, interval: [1, 1] });
});

Deno.test("areaUnderCurve: of 1000 attacks that cannot tell, 93 to 97 % of the intervals hold 0.5", () => {
  const random = stream(5);
  let held = 0;
  for (let draw = 0; draw < 1000; draw++) {
    const draws = () => Array.from({ length: 60 }, () => random.next());
    const { interval: [low, high] } = areaUnderCurve(draws(), draws());
    if (low <= 0.5 && high >= 0.5) held++;
  }
  assert(held >= 930 && held <= 970, `${held}`);
});

Deno.test("truePositives: the members above the least threshold with so many false positives", () => {
  const others = Array.from({ length: 100 }, (_, i) => i), members = [98, 99, 99.5, 100, 3];
  const found = truePositives(members, others, 0.01);
  // One false positive is allowed: 99. What is above 98 are 99, 99.5 and 100.
  assertEquals([found.threshold, found.falsePositives, found.value], [98, 0.01, 0.6]);
  assertEquals(truePositives([5, 5], [5, 5, 5], 0.01).value, 0, "equal scores tell nothing");
  assertEquals(truePositives([5, 6], [5, 5, 5], 0.5).falsePositives, 0);
});

Deno.test("proportion: Wilson's interval, by published values", () => {
  // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  for (
    const [part, count, low, high] of [[81, 263, 0.2553, 0.3662], [15, 148, 0.0624, 0.1605], [0, 20, 0, 0.1611], [
      1,
      29,
      0.0061,
      0.1718,
    ]]
  ) {
    const { interval } = proportion(part, count);
    assertAlmostEquals(interval[0], low, 5e-5);
    assertAlmostEquals(interval[1], high, 5e-5);
  }
});

Deno.test("copyingScore: the Mann-Whitney z of each cell, weighted by its held-out images", () => {
  const cells = [1, 2, 3].map((seed) => ({ generated: numbers(30, seed, -2), heldOut: numbers(10 * seed, seed + 5) }));
  const scores = cells.map(({ generated, heldOut }) => {
    let larger = 0;
    for (const a of generated) for (const b of heldOut) larger += a > b ? 1 : a === b ? 0.5 : 0;
    const [m, n] = [generated.length, heldOut.length];
    return (larger - m * n / 2) / Math.sqrt(m * n * (m + n + 1) / 12);
  });
  assertAlmostEquals(copyingScore(cells), (scores[0] * 10 + scores[1] * 20 + scores[2] * 30) / 60, 1e-9);
  assertAlmostEquals(copyingScore([...cells, { generated: [1], heldOut: [] }]), copyingScore(cells), 1e-12);
  assert(copyingScore([{ generated: [0, 0, 0, 0, 0, 0], heldOut: numbers(30, 1, 1) }]) < -3, "copies");
  assert(Number.isNaN(copyingScore([{ generated: [], heldOut: [1] }])));
});

Deno.test("quantile: between two values in proportion", () => {
  assertEquals([quantile([3, 1, 2], 0), quantile([3, 1, 2], 0.5), quantile([3, 1, 2], 1)], [1, 2, 3]);
  assertAlmostEquals(quantile([0, 10], 0.25), 2.5);
});
