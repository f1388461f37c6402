import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { stream } from "../../../core/random.ts";
import { readData } from "../../../hosts/deno/data/read_data.ts";
import { judge } from "../../../plugins/metrics/judge.ts";
import { drawnWorld, first, type ImageSet, imagesOf, judge as measure, mean, pick, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const world = drawnWorld(), { training, heldOut, second } = world;
const all = (made: ImageSet, options = {}) => measure(judge, { training, heldOut, generated: made }, options);
const score = (made: ImageSet) => mean(all(made).values);
const change = (
  set: ImageSet,
  each: (image: Uint8Array, at: (y: number, x: number) => number, i: number) => ArrayLike<number>,
) =>
  setOf(
    imagesOf(set).map((image, i) => {
      const within = (v: number) => Math.min(Math.max(v, 0), set.size - 1);
      return each(image, (y, x) => image[within(y) * set.size + within(x)], i);
    }),
    set.labels,
  );
const pixels = ({ size }: ImageSet, value: (y: number, x: number) => number) =>
  Uint8Array.from({ length: size * size }, (_, p) => value(Math.floor(p / size), p % size));

/** The mean of a pixel and its eight neighbours. */
const blurred = (set: ImageSet) =>
  change(
    set,
    (_, at) => pixels(set, (y, x) => mean(first(9).map((n) => at(y + Math.floor(n / 3) - 1, x + n % 3 - 1)))),
  );
/** Each quarter from another image. */
const patchwork = (set: ImageSet) => {
  const images = imagesOf(set), half = set.size / 2;
  return change(
    set,
    (_, __, i) =>
      pixels(
        set,
        (y, x) => images[(i + 7 * Number(y < half) + 13 * Number(x < half)) % images.length][y * set.size + x],
      ),
  );
};
const noisy = (set: ImageSet) => {
  const random = stream(6);
  return change(set, (image) => image.map((grey) => Math.min(255, grey + 24 * random.next())));
};

Deno.test("judge: cannot distinguish a second real sample; recognizes noise, blur and patchwork", () => {
  const { values, standardError, of, settings, warnings } = all(second);
  assertEquals([values.length, of, warnings], [600, "generated", ["compares 500 of 600 generated images"]]);
  assertEquals(settings, { ridge: 0.1, count: 500, real: 500, against: "held-out images" });
  assertAlmostEquals(mean(values), 0.5, 3 * standardError!);
  assert(standardError! > 0.01 && standardError! < 0.03, `${standardError}`);
  const found = [noisy(second), blurred(second), patchwork(second)].map(score);
  assert(found.every((value) => value > 0.95), found.join(" "));
});

Deno.test("judge: over random samples of the same kind the mean score is 0.5", () => {
  const images = [...imagesOf(heldOut), ...imagesOf(second)], random = stream(12);
  const scores = first(40).map(() => {
    const keys = images.map(() => random.next()), order = [...images.keys()].sort((a, b) => keys[a] - keys[b]);
    const [a, b] = [0, 40].map((from) => setOf(order.slice(from, from + 40).map((i) => images[i])));
    return mean(measure(judge, { training: b, heldOut: b, generated: a }).values);
  });
  assertAlmostEquals(mean(scores), 0.5, 0.04, scores.join(" "));
});

Deno.test("judge: the images that a half is degraded of are those that look least real", () => {
  const half = first(200), sharp = pick(second, half), degraded = blurred(pick(second, half.map((i) => i + 200)));
  const { values, series } = all(setOf([...imagesOf(sharp), ...imagesOf(degraded)]));
  const [real, made] = [series.decision.subarray(0, 200), series.decision.subarray(200)];
  assert(mean(real) > mean(made) + 0.2, `${mean(real)} and ${mean(made)}`);
  assert(mean(values.subarray(0, 200)) < mean(values.subarray(200)) - 0.2);
});

Deno.test("judge: near twins of the real images do not mislead it", () => {
  // Each generated image is nearest to the one real image that it was made of.
  const twins = noisy(heldOut), value = score(twins);
  assert(value > 0.9, `${value}`);
  // Brightness is nothing that it looks at, so that here there is nothing to find.
  assertAlmostEquals(score(change(heldOut, (image) => image.map((grey) => Math.min(grey + 3, 255)))), 0.5, 0.1);
});

Deno.test("judge: real images that are among the generated ones are not compared with; training images fill up", () => {
  const part = pick(heldOut, first(40)), few = pick(heldOut, first(50));
  const { settings, values } = measure(judge, { training, heldOut: few, generated: part });
  assertEquals([settings.count, settings.real, settings.against], [40, 40, "held-out and training images"]);
  assert(values.every((value) => value >= 0 && value <= 1));
  assertEquals(measure(judge, { training, generated: part }).settings.against, "training images");
  const none = measure(judge, { training: part, heldOut: part, generated: part });
  assertEquals([none.settings.real, none.settings.against, none.standardError], [0, "no images", undefined]);
  assertEquals(none.warnings, ["40 generated and 0 real images are too few: the judge needs 10 of each"]);
});

Deno.test("judge: fewer than ten images have no score; the most that are compared are taken evenly", () => {
  const nine = all(pick(second, first(9)));
  assert(nine.values.every(Number.isNaN) && nine.series.decision.every(Number.isNaN));
  assertEquals(nine.warnings, ["9 generated and 9 real images are too few: the judge needs 10 of each"]);
  const ten = all(pick(second, first(30)), { most: 10 });
  assertEquals([...ten.values.keys()].filter((i) => !Number.isNaN(ten.values[i])), first(10).map((i) => 3 * i));
  assertEquals(ten.warnings, ["compares 10 of 30 generated images"]);
});

const real = Deno.env.get("PATCHLOOM_DATA");

Deno.test({
  name: "judge: photographs of faces, 100 and 100 (ignored where PATCHLOOM_DATA is not set)",
  ignore: !real,
  fn: async () => {
    const { test, train } = await readData(join(real!, "faces")), area = 128 * 128;
    const faces = ({ images }: typeof test, numbers: number[]) =>
      setOf(numbers.map((i) => images.pixels.subarray(i * area, (i + 1) * area)));
    const some = faces(train, first(100)), people = faces(test, first(100)), others = faces(test, first(100, 100));
    const against = (made: ImageSet) =>
      mean(measure(judge, { training: some, heldOut: others, generated: made }).values);
    assertAlmostEquals(against(people), 0.5, 0.13);
    const found = [patchwork(people), blurred(blurred(people)), noisy(people)].map(against);
    assert(found.every((value) => value > 0.9), found.join(" "));
  },
});

// A copier looks as real as what it copies.
testScores("judge", {
  copier: [0.3, 0.7],
  "noisy copier": [0.9, 1],
  repeater: [0.9, 1],
  noise: [0.95, 1],
  "real sample": [0.3, 0.7],
}, { isDirected: true });
