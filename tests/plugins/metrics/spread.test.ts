import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { ENOUGH_FOR_SPREAD, spread } from "../../../plugins/metrics/spread.ts";
import { assertClose } from "../../kernels_under_test.ts";
import { distancesOf, drawnWorld, first, type ImageSet, judge, mean, ofClass, pick, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const { training, second } = ofClass(drawnWorld(), 3);

/** Spread(i; X_T, X_G) of each training image, as the paper writes it; sigma_i by bisection. */
function plain(t: ImageSet, g: ImageSet, perplexity: number): number[] {
  const toG = distancesOf(t, g);
  return distancesOf(t, t).map((row, i) => {
    const squared = [...row.filter((_, j) => j !== i), ...toG[i]].map((d) => d * d), least = Math.min(...squared);
    const weights = (sigma: number) => {
      const terms = squared.map((d) => Math.exp((least - d) / (2 * sigma ** 2)));
      const sum = terms.reduce((a, b) => a + b);
      return terms.map((term) => term / sum);
    };
    let low = 1e-3, high = 1e3;
    for (let step = 0; step < 100; step++) {
      const sigma = Math.sqrt(low * high);
      const entropy = -weights(sigma).reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0);
      if (entropy > Math.log(perplexity)) high = sigma;
      else low = sigma;
    }
    const p = weights(low),
      sum = (from: number, to: number) => first(to - from, from).reduce((total, j) => total + p[j] * squared[j], 0);
    return Math.log(sum(t.count - 1, squared.length) / sum(0, t.count - 1));
  });
}

Deno.test("spread: images that are all equally far from each other, by hand", () => {
  // Whatever the weights are, they are equal: n generated ones against n - 1 of the training set.
  const corner = (p: number) => first(16).map((i) => i === p ? 255 : 0);
  const [t, g] = [0, 8].map((from) => setOf(first(8, from).map(corner)));
  const { values, of, series, settings, warnings } = judge(spread, { training: t, generated: g }, { perplexity: 5 });
  assertClose(values, Array(8).fill(Math.log(8 / 7)), 1e-12);
  assertClose(series.signed, Array(8).fill(Math.log(8 / 7)), 1e-12);
  assertEquals([of, settings], ["training", { perplexity: 5, count: 8 }]);
  assertEquals(warnings, ["a spread of 8 images does not rank systems: expected 1000 images of a class or more"]);
});

Deno.test("spread: the paper's definition in plain float64", () => {
  const [t, g] = [training, second].map((set) => pick(set, first(40)));
  for (const perplexity of [2, 10, 25]) {
    const { values, series } = judge(spread, { training: t, generated: g }, { perplexity });
    const wanted = plain(t, g, perplexity);
    assertClose(series.signed, wanted, 1e-5);
    assertClose(values, wanted.map(Math.abs), 1e-5);
  }
});

Deno.test("spread: above 0 where generated images crowd around a training image, below where they lack", () => {
  // All generated images are like the first training image.
  const t = pick(training, first(30)), near = imagesLike(pick(training, [0]), 30);
  const { signed } = judge(spread, { training: t, generated: near }).series;
  assert(signed[0] > 0, `${signed[0]}`);
  assert(mean(signed.subarray(1)) < 0, `${mean(signed.subarray(1))}`);
  // A copy of the whole set crowds nowhere: read it after the originality.
  assertAlmostEquals(mean(judge(spread, { training: t, generated: t }).values), 0, 1e-12);
});

function imagesLike({ pixels }: ImageSet, count: number): ImageSet {
  return setOf(first(count).map((i) => pixels.map((grey, p) => p % 97 === i ? 255 - grey : grey)));
}

Deno.test("spread: sets of different size and too few images, with a warning", () => {
  const { values, settings, warnings } = judge(spread, { training, generated: pick(second, first(10)) });
  assertEquals([values.length, settings.count], [10, 10]);
  assertEquals(warnings, [
    "compares the first 10 of 100 training and 10 generated images",
    "a spread of 10 images does not rank systems: expected 1000 images of a class or more",
    "20 images are too few for perplexity 10: 6.3 is used",
  ]);
});

Deno.test("spread: a training image whose neighbours are all of one set has no value, and that is said", () => {
  const { values, series, warnings } = judge(spread, { training: pick(training, [0]), generated: pick(second, [0]) });
  assertEquals([...values, ...series.signed], [NaN, NaN]);
  assert(warnings.some((warning) => warning.startsWith("1 training image has neighbours of one set only")));
});

Deno.test("spread: of enough images it warns of nothing; of one fewer it does", () => {
  const points = (count: number) => setOf(first(count).map((i) => [i % 256, i >> 8, 0, 0]));
  const warnings = (count: number) => judge(spread, { training: points(count), generated: points(count) }).warnings;
  assertEquals(warnings(ENOUGH_FOR_SPREAD).filter((text) => text.includes("does not rank systems")), []);
  assertEquals(warnings(ENOUGH_FOR_SPREAD - 1).filter((text) => text.includes("does not rank systems")).length, 1);
});

// A copy of the whole set is spread as that is: "a good spread score is misleading without high originality".
testScores("spread", {
  copier: [0, 1e-9],
  "noisy copier": [0, 0.3],
  repeater: [1.3, 20],
  noise: [10, 100],
  "real sample": [0.3, 0.9],
});
