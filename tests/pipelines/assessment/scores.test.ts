import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { type ClassResult, type Score, score } from "../../../pipelines/assessment/scores.ts";

function group(label: number | undefined, ...values: number[]): ClassResult {
  const result = {
    values: Float64Array.from(values),
    of: "generated",
    series: {},
    settings: {},
    warnings: [],
  } as const;
  return { label, result };
}

/** A standard normal number, by Box and Muller. */
function normal(random: { next(): number }): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

Deno.test("score: the mean of the classes' means, whatever their sizes; pooled: the mean of all values", () => {
  const found = score([group(3, 1, 2, 6), group(5, 10), group(8, -2, 0)]);
  assertEquals(found.groups, [{ label: 3, score: 3, count: 3 }, { label: 5, score: 10, count: 1 }, {
    label: 8,
    score: -1,
    count: 2,
  }]);
  assertEquals([found.score, found.pooled, found.count], [4, 17 / 6, 6]);
});

Deno.test("score: NaN is left out; a class with nothing else counts for nothing", () => {
  const found = score([group(0, NaN, 1, 3), group(1, NaN), group(2), group(4, 8, NaN)]);
  assertEquals([found.score, found.pooled, found.count], [5, 4, 3]);
  assertEquals(found.groups.map(({ score, count }) => [score, count]), [[2, 2], [NaN, 0], [NaN, 0], [8, 1]]);
  assertEquals(found.interval, score([group(0, 1, 3), group(4, 8)]).interval, "and does not move the interval");
});

Deno.test("score: nothing at all is NaN", () => {
  const interval: [number, number] = [NaN, NaN],
    nothing = { score: NaN, pooled: NaN, interval, range: interval, count: 0 };
  assertEquals(score([]), { ...nothing, groups: [] });
  const empty = score([group(undefined), group(undefined, NaN, NaN)]);
  const none = { label: undefined, score: NaN, count: 0 };
  assertEquals(empty, { ...nothing, groups: [none, none] });
});

Deno.test("score: one value, few equal ones and values of training images carry no interval", () => {
  const none: [number, number] = [NaN, NaN];
  assertEquals(score([group(undefined, 7)]).interval, none);
  assertEquals(
    score([group(1, 2, 2, 2, 2, 2)]).interval,
    none,
    "five images that are all right do not prove the sixth",
  );
  const trained = group(undefined, 1, 2, 3);
  assertEquals(score([{ ...trained, result: { ...trained.result, of: "training" } }]).interval, none);
  const ten = score(Array.from({ length: 10 }, (_, label) => group(label, 1, 1, 1)));
  assertEquals([ten.score, ...ten.interval], [1, 1, 1], "not 0.9999999999999999 beside 1");
});

Deno.test("score: one image of each class: the interval is that of the images, not of nothing", () => {
  // Mean 3, standard deviation 2.138 of the 8 values, 2.365 for 7 degrees: 3 +- 2.365 x 2.138 / sqrt(8).
  const eight = score([1, 2, 2, 2, 3, 3, 3, 8].map((value, label) => group(label, value)));
  assertEquals(eight.score, 3);
  assertAlmostEquals(eight.interval[0], 3 - 1.7877, 1e-3);
  assertAlmostEquals(eight.interval[1], 3 + 1.7877, 1e-3);
  // Three values are 2 +- 4.303 x 2 / sqrt(3). Of two, 1 +- 12.7 would only confuse.
  assertAlmostEquals(score([group(0, 0), group(1, 2), group(2, 4)]).interval[1], 2 + 4.969, 1e-3);
  assertEquals(score([group(0, 0), group(1, 2)]).interval, [NaN, NaN]);
});

Deno.test("score: with enough images of each class, what sets the classes apart does not widen the interval", () => {
  const far = [0, 100].map((base, label) => group(label, ...[0, 1, 2, 3, 4, 5, 6].map((value) => base + value)));
  // Variance 14/3 within each class of 7: error sqrt(2 x 14/3 / 7) / 2, 12 degrees: 2.179.
  const half = 2.179 * Math.sqrt(2 * (14 / 3) / 7) / 2, { score: middle, interval: [low, high] } = score(far);
  assertAlmostEquals(high - middle, half, 2e-3);
  assertAlmostEquals(middle - low, half, 2e-3);
});

Deno.test("score: of two images of each class, one that differs much makes no interval of a single degree of freedom", () => {
  const values = Array.from({ length: 10 }, (_, label) => group(label, label, label + (label === 3 ? 2 : 0.1)));
  // Nine variances of 0.1 squared / 2 and one of 2 squared / 2 in the mean, 10 degrees: 2.228.
  const variance = (9 * 0.1 ** 2 / 2 + 2 ** 2 / 2) / 10, half = 2.228 * Math.sqrt(10 * variance / 2) / 10;
  const { score: middle, interval: [low, high] } = score(values);
  assertAlmostEquals(high - middle, half, 2e-3);
  assertAlmostEquals(middle - low, half, 2e-3);
  // Normal samples of two images of each class, whose means differ by far more than their values.
  const random = stream(7), repetitions = 400;
  let inside = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const drawn = values.map((_, label) => group(label, 9 * label + normal(random), 9 * label + normal(random)));
    const { interval } = score(drawn);
    if (interval[0] <= 40.5 && 40.5 <= interval[1]) inside++;
  }
  assertAlmostEquals(inside / repetitions, 0.95, 0.033);
});

Deno.test("score: the least and the greatest value of all classes", () => {
  assertEquals(score([group(0, 3, NaN, 0.5), group(1, 7, 2)]).range, [0.5, 7]);
});

Deno.test("score: a metric's own standard errors give the interval", () => {
  const withError = (group: ClassResult, standardError: number): ClassResult => {
    return { ...group, result: { ...group.result, standardError } };
  };
  const one = score([withError(group(1, 0, 0.5, 1), 0.1)]);
  assertEquals(one.interval, [0.5 - 1.96 * 0.1, 0.5 + 1.96 * 0.1]);
  const two = score([withError(group(1, 0, 0.5, 1), 0.3), withError(group(2, 0, 1), 0.4)]);
  assertAlmostEquals(two.interval[1] - two.score, 1.96 * 0.25, 1e-12);
  assertEquals(score([withError(group(1, 0.25, 0.75), 9)]).interval, [0, 1], "parts lie between 0 and 1");
  assertEquals(
    score([withError(group(1, 20, 20), 1)]).interval,
    [20 - 1.96, 20 + 1.96],
    "other values may lie anywhere",
  );
});

Deno.test("score: two classes of the same values have an interval narrower by the root of two", () => {
  const random = stream(5), values = Array.from({ length: 50 }, () => random.next());
  const one = score([group(1, ...values)]), two = score([group(1, ...values), group(2, ...values)]);
  const width = ({ interval: [low, high] }: { interval: readonly number[] }) => high - low;
  assertAlmostEquals(width(two) / width(one), Math.SQRT1_2, 0.01);
});

Deno.test("score: the interval holds the mean of a normal sample in about 95 of 100 repetitions", () => {
  const random = stream(2016), repetitions = 400;
  let inside = 0, insideTwo = 0, below = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const draw = (count: number, mean: number, sigma: number) =>
      Array.from({ length: count }, () => mean + sigma * normal(random));
    const { interval: [low, high], score: middle } = score([group(undefined, ...draw(60, 3, 2))]);
    assert(low < middle && middle < high);
    if (low <= 3 && 3 <= high) inside++;
    if (high < 3) below++;
    // Classes of other sizes, means and deviations: the mean of the means is 2.
    const { interval } = score([group(0, ...draw(80, -1, 1)), group(1, ...draw(40, 5, 3))]);
    if (interval[0] <= 2 && 2 <= interval[1]) insideTwo++;
  }
  // Three standard deviations of 400 draws with 0.95 are 0.033.
  for (const part of [inside, insideTwo]) assertAlmostEquals(part / repetitions, 0.95, 0.033);
  assertAlmostEquals(below / (repetitions - inside), 0.5, 0.35, "it misses on both sides");
  // The width is that of the normal distribution: 2 x 1.96 sigma / sqrt(n).
  const { interval: [low, high] } = score([group(undefined, ...Array.from({ length: 2000 }, () => normal(random)))]);
  assertAlmostEquals(high - low, 2 * 1.96 / Math.sqrt(2000), 0.01);
});

/** A group whose values come from seed images. */
function seeded(label: number | undefined, values: readonly number[], seedImages: readonly number[]): ClassResult {
  return { ...group(label, ...values), seedImages: Float64Array.from(seedImages) };
}

Deno.test("score: images of one seed image count as one: the interval is that of the seed images' means", () => {
  const values = [1, 3, 4, 8, 5, 5, 9, 11], seeds = [7, 7, 2, 2, 5, 5, 0, 0];
  const means = score([group(undefined, 2, 6, 5, 10)]), found = score([seeded(undefined, values, seeds)]);
  assertEquals([found.score, found.count, found.range], [means.score, 8, [1, 11]]);
  found.interval.forEach((end, i) => assertAlmostEquals(end, means.interval[i], 1e-12));
  // A value that is NaN is left out with its seed image, and an unknown seed image is another for each image.
  const unknown = score([seeded(undefined, [NaN, ...values], [3, NaN, NaN, NaN, NaN, NaN, NaN, NaN, NaN])]);
  assertEquals(unknown.interval, score([group(undefined, ...values)]).interval);
  assertEquals(score([seeded(undefined, values, [1, 2, 3, 4, 5, 6, 7, 8])]).interval, unknown.interval);
  // All of one seed image: nothing is known of others.
  assertEquals(score([seeded(undefined, [1, 2, 3], [4, 4, 4])]).interval, [NaN, NaN]);
});

Deno.test("score: intervals of several images of a seed image hold the truth as often as they say", () => {
  const random = stream(11), runs = 1000;
  for (const [classes, seedsOfClass, each] of [[1, 12, 4], [5, 6, 2], [10, 2, 3]]) {
    const held = { seeded: 0, independent: 0 };
    for (let run = 0; run < runs; run++) {
      const groups = Array.from({ length: classes }, (_, label) => {
        const seeds = Array.from({ length: seedsOfClass }, () => 2 * normal(random));
        // One image more of the first seed image: how many there are of each differs.
        const from = [0, ...Array.from({ length: seedsOfClass * each }, (_, i) => i % seedsOfClass)];
        return seeded(label, from.map((seed) => label + seeds[seed] + normal(random)), from);
      });
      const truth = (classes - 1) / 2, holds = ({ interval: [low, high] }: Score) => low <= truth && truth <= high;
      if (holds(score(groups))) held.seeded++;
      if (holds(score(groups.map(({ seedImages: _, ...rest }) => rest)))) held.independent++;
    }
    const part = held.seeded / runs;
    assert(part > 0.92 && part < 0.985, `${classes} classes, ${seedsOfClass} seed images: ${part}`);
    assert(held.independent / runs < part - 0.03, `as independent images: ${held.independent / runs}`);
  }
});
