/** Measures of sets of features, each against its published formula in plain loops. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import type { AnyPlugin } from "../../../core/plugin.ts";
import { stream } from "../../../core/random.ts";
import { featureLikelihood, fittedVariances, logLikelihoods } from "../../../plugins/metrics/feature_likelihood.ts";
import { frechet } from "../../../plugins/metrics/frechet.ts";
import { kernelDistance } from "../../../plugins/metrics/kernel_distance.ts";
import { vendi, vendiScore } from "../../../plugins/metrics/vendi.ts";
import { type ImageSet, imagesOf, judge, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

const PIXELS = { features: "pixels", most: 300 };

/** Images of 2x2 pixels with given means, whose pixels depend on each other. */
function images(count: number, seed: number, means: readonly number[]): ImageSet {
  const random = stream(seed), normal = () => random.next() + random.next() + random.next() - 1.5;
  return setOf(Array.from({ length: count }, () => {
    const common = normal();
    return means.map((mean, p) => Math.min(Math.max(Math.round(mean + 25 * common * (p - 1) + 20 * normal()), 0), 255));
  }));
}

const generated = images(40, 1, [90, 120, 130, 100]), training = images(55, 2, [110, 110, 120, 130]);
const heldOut = images(35, 3, [110, 110, 120, 130]);
const scoreOf = (metric: AnyPlugin, sets: { generated: ImageSet; training: ImageSet; heldOut?: ImageSet }) => {
  return judge(metric, sets, PIXELS).values[0];
};

/** Features in [0, 1]. */
const features = (set: ImageSet) => imagesOf(set).map((image) => Array.from(image, (value) => value / 255));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function covariance(rows: readonly (readonly number[])[]): Matrix {
  const means = rows[0].map((_, p) => mean(rows.map((row) => row[p])));
  const at = (p: number, q: number) => {
    return rows.reduce((sum, row) => sum + (row[p] - means[p]) * (row[q] - means[q]), 0) / (rows.length - 1);
  };
  return new Matrix(means.map((_, p) => means.map((_, q) => at(p, q))));
}

Deno.test("frechet: the formula with covariances, whose product's eigenvalues give the trace of the root", () => {
  const [x, y] = [features(generated), features(training)], [a, b] = [covariance(x), covariance(y)];
  const roots = new EigenvalueDecomposition(a.mmul(b)).realEigenvalues.reduce(
    (sum, value) => sum + Math.sqrt(value),
    0,
  );
  const means = x[0].reduce((sum, _, p) => sum + (mean(x.map((row) => row[p])) - mean(y.map((row) => row[p]))) ** 2, 0);
  assertAlmostEquals(scoreOf(frechet, { generated, training }), means + a.trace() + b.trace() - 2 * roots, 1e-9);
  assertAlmostEquals(scoreOf(frechet, { generated, training: generated }), 0, 1e-9);
});

Deno.test("frechet: of one pixel it is the squared differences of means and of deviations", () => {
  const line = (count: number, from: number, step: number) => {
    return setOf(Array.from({ length: count }, (_, i) => [from + step * i]));
  };
  const [a, b] = [line(20, 10, 3), line(30, 90, 4)];
  const [x, y] = [a, b].map((set) => features(set).map(([value]) => value));
  const deviation = (values: readonly number[]) => Math.sqrt(covariance(values.map((value) => [value])).get(0, 0));
  const wanted = (mean(x) - mean(y)) ** 2 + (deviation(x) - deviation(y)) ** 2;
  assertAlmostEquals(scoreOf(frechet, { generated: a, training: b }), wanted, 1e-9);
});

Deno.test("kernel-distance: the unbiased estimate with the cubic kernel, pair by pair", () => {
  const [x, y] = [features(generated), features(training)];
  const kernel = (a: readonly number[], b: readonly number[]) => {
    return (a.reduce((sum, value, p) => sum + value * b[p], 0) / a.length + 1) ** 3;
  };
  const within = (set: number[][]) => mean(set.flatMap((a, i) => set.flatMap((b, j) => i === j ? [] : [kernel(a, b)])));
  const wanted = within(x) + within(y) - 2 * mean(x.flatMap((a) => y.map((b) => kernel(a, b))));
  assertAlmostEquals(scoreOf(kernelDistance, { generated, training }), wanted, 1e-9);
});

Deno.test("kernel-distance: of samples of one kind it is 0 on average", () => {
  const scores = Array.from({ length: 100 }, (_, draw) => {
    const [a, b] = [2 * draw + 10, 2 * draw + 11].map((seed) => images(12, seed, [100, 100, 120, 90]));
    return scoreOf(kernelDistance, { generated: a, training: b });
  });
  const error = Math.sqrt(mean(scores.map((value) => value ** 2)) / 100);
  assert(Math.abs(mean(scores)) < 3 * error, `${mean(scores)} with an error of ${error}`);
});

Deno.test("vendi: equal images count as one, images at right angles each, groups of equal ones as the groups", () => {
  const onlyAt = (...places: number[]) => setOf(places.map((p) => [0, 1, 2, 3].map((q) => q === p ? 200 : 0)));
  const repeated = (...places: number[]) => onlyAt(...Array.from({ length: 12 }, (_, i) => places[i % places.length]));
  for (const places of [[2], [0, 1], [0, 1, 2], [0, 1, 2, 3]]) {
    const set = repeated(...places);
    assertAlmostEquals(scoreOf(vendi, { generated: set, training: set }), places.length, 1e-9);
  }
  // Two images of the cosine c: eigenvalues (1 + c) / 2 and (1 - c) / 2.
  const entropy = -(0.8 * Math.log(0.8) + 0.2 * Math.log(0.2));
  assertAlmostEquals(vendiScore([[1, 0.6], [0.6, 1]]), Math.exp(entropy), 1e-12);
});

Deno.test("feature-likelihood: the likelihood in plain sums; no other variance makes training images likelier", () => {
  const random = stream(9),
    squared = Array.from({ length: 30 }, () => Float64Array.from({ length: 6 }, () => 1 + 9 * random.next()));
  const variances = fittedVariances(squared, 4);
  const plain = (values: Float64Array) => {
    return mean(squared.map((row) => {
      const parts = Array.from(row, (d, j) => Math.exp(-d / (2 * values[j])) / (2 * Math.PI * values[j]) ** 2);
      return Math.log(mean(parts));
    }));
  };
  const fitted = plain(variances);
  assertAlmostEquals(mean([...logLikelihoods(squared, variances, 4)]), fitted, 1e-9);
  for (let j = 0; j < 6; j++) {
    for (const factor of [0.9, 1.1]) {
      assert(plain(variances.map((value, i) => i === j ? factor * value : value)) <= fitted + 1e-6, `variance ${j}`);
    }
  }
});

Deno.test("feature-likelihood: another sample is best; copies, and held-out images themselves, do not count", () => {
  const real = images(40, 7, [110, 110, 120, 130]),
    score = (generated: ImageSet) => {
      return scoreOf(featureLikelihood, { generated, training, heldOut });
    };
  assert(score(real) < score(generated), "other means");
  assert(score(real) < score(training), "copies");
  const same = judge(featureLikelihood, { generated: heldOut, training, heldOut }, PIXELS);
  assert(same.tooFew?.includes("too few") && same.values.every(Number.isNaN));
  assert(judge(featureLikelihood, { generated: real, training }, PIXELS).tooFew !== undefined, "no held-out images");
});

Deno.test("measures of features: too few images have none, equal images no error that is infinite", () => {
  const few = images(9, 4, [1, 2, 3, 4]), equal = setOf(Array.from({ length: 12 }, () => [7, 7, 7, 7]));
  for (const metric of [frechet, kernelDistance, featureLikelihood, vendi] as unknown as AnyPlugin[]) {
    const { tooFew, values } = judge(metric, { generated: few, training, heldOut }, PIXELS);
    assert(tooFew?.includes("too few") && values.every(Number.isNaN), metric.name);
    const { standardError = 0 } = judge(metric, { generated: equal, training: equal, heldOut }, PIXELS);
    assert(Number.isFinite(standardError), metric.name);
  }
  assertEquals(
    judge(vendi as unknown as AnyPlugin, { generated: equal, training }, PIXELS).values[0].toFixed(9),
    "1.000000000",
  );
});

testScores("frechet", {
  copier: [0, 2],
  "noisy copier": [6, 20],
  repeater: [6, 20],
  noise: [20, 60],
  "real sample": [1.5, 5],
});

testScores("kernel-distance", {
  copier: [-0.01, 0.005],
  "noisy copier": [0.02, 0.1],
  repeater: [0.01, 0.05],
  noise: [0.1, 0.3],
  "real sample": [-0.01, 0.005],
});

// Copies say nothing of held-out images.
testScores("feature-likelihood", {
  copier: [150, 170],
  "noisy copier": [170, 200],
  repeater: [150, 180],
  noise: [230, 280],
  "real sample": [135, 150],
});

// It does not look at training images.
testScores("vendi", {
  copier: [5, 9],
  "noisy copier": [4, 7],
  repeater: [1, 1.0001],
  noise: [3, 5],
  "real sample": [5, 9],
});
