import { assert, assertAlmostEquals, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { range } from "../../../core/numbers.ts";
import { stream } from "../../../core/random.ts";
import type { LabelledImages } from "../../../datasets/data_set.ts";
import { digits } from "../../../datasets/profiles/digits.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { denoRunner } from "../../../hosts/deno/workers/deno_runner.ts";
import { runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import type { MetricScore } from "../../../pipelines/assessment/metric_score.ts";
import { type AssessmentInput, runMetrics } from "../../../pipelines/assessment/run_metrics.ts";
import { squareOf } from "../../../core/shape.ts";
import { paddedImages } from "../../../pipelines/assessment/padded_images.ts";
import { valuesByImage } from "../../../pipelines/assessment/values_by_image.ts";
import type { Runner } from "../../../pipelines/run/runner.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm } from "../../kernels_under_test.ts";

const planned = plan(digits, builtins), { patch, layers: [{ overlap, window }] } = planned;
const training = proceduralDigits("train", 30), heldOut = proceduralDigits("test", 6);
const ALL = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => ({ name, options: {} }));
const CLASSES = Array.from({ length: 10 }, (_, i) => i);

/** Images i of a set, in the order given. */
function pick({ images, labels }: LabelledImages, chosen: ArrayLike<number>): LabelledImages {
  const area = images.height * images.width, pixels = new Uint8Array(chosen.length * area);
  Array.from(chosen, (from, to) => pixels.set(images.pixels.subarray(from * area, (from + 1) * area), to * area));
  return {
    images: { ...images, count: chosen.length, pixels },
    labels: labels && Uint8Array.from(chosen, (i) => labels[i]),
  };
}

/** 0 .. count-1 in a random order. */
function shuffled(count: number): number[] {
  const random = stream(9), order = [...range(count)];
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function run(change: Partial<AssessmentInput>, metrics = ALL, threads = 1): Promise<MetricScore[]> {
  const input = { plan: planned, generated: heldOut, training, classes: CLASSES, ...change };
  return runMetrics(denoRunner({ threads }), input, metrics);
}

const metricOf = (name: string, options = {}) => [{ name, options }];

/** Metrics for which six images of a class are too few, and the share, which needs provenance. */
const UNSCORED = ["judge", "frechet", "kernel-distance", "feature-likelihood", "vendi", "share"];

Deno.test("runMetrics: the same numbers for 1 and 3 threads, of all metrics, and progress up to 1", async () => {
  const generated = pick(heldOut, shuffled(60)),
    input = { plan: planned, generated, training, heldOut, classes: [0, 1, 2, 3] };
  const updates: number[] = [];
  const one = await runMetrics(denoRunner({ threads: 1 }), input, ALL, (done) => updates.push(done));
  assertEquals(one.map(({ metric }) => metric), ALL.map(({ name }) => name));
  assertEquals(updates, updates.toSorted((a, b) => a - b));
  assertEquals([updates.at(-1), new Set(updates).size], [1, updates.length]);
  for (const { metric, score, count, interval: [low, high], range: [least, greatest], results } of one) {
    if (UNSCORED.includes(metric)) {
      assertEquals([score, count], [NaN, 0], metric);
      continue;
    }
    assert(least <= score && score <= greatest, `${metric} ${least} ${score} ${greatest} ${count}`);
    assert(Number.isFinite(score) && count > 0, `${metric} ${score}`);
    const isNone = results[0].result.of === "training" || least === greatest;
    if (isNone) assertEquals([low, high], [NaN, NaN], metric);
    else assert(low <= score && score <= high, `${metric} ${low} ${score} ${high}`);
  }
  assertEquals(await runMetrics(denoRunner({ threads: 3 }), input, ALL), one);
});

Deno.test("runMetrics: the judge's score is its interval's middle, the same for 1 and 2 threads", async () => {
  const metrics = [...metricOf("judge"), ...metricOf("judge", { ridge: 1 })];
  const generated = pick(proceduralDigits("test", 12), range(120)), input = { generated, classes: [0, 1, undefined] };
  const [found, other] = await run(input, metrics, 1);
  assertEquals(await run(input, metrics, 2), [found, other]);
  assertNotEquals(found.results[2].result.series, other.results[2].result.series);
  const { score, interval: [low, high], range: [least, greatest], groups } = found;
  assertEquals(groups.map(({ count }) => count), [12, 12, 120]);
  assert(least >= 0 && greatest <= 1 && low >= 0 && high <= 1 && low < high);
  assertAlmostEquals((low + high) / 2, score, 1e-9);
});

Deno.test("runMetrics: splitting images into parts does not change the results", async () => {
  // More than two parts of 250 images, the last one of a single image.
  const many = pick(proceduralDigits("test", 51), range(501)), few = pick(training, range(100));
  const metrics = [
    ...metricOf("likelihood"),
    ...metricOf("originality"),
    ...metricOf("precision"),
    ...metricOf("spread"),
  ];
  let parts = 0;
  const input = { plan: planned, generated: many, training: few, classes: [undefined] };
  const found = await runMetrics(denoRunner({ threads: 2 }), input, metrics, () => parts++);
  assertEquals(parts, 3 + 3 + 1 + 1, "precision and spread are no sums over images");
  for (const { metric, results: [{ result, label }], images, count } of found) {
    const whole = runMetricJob(wasm, {
      metric,
      options: {},
      generated: paddedImages(many, range(501), squareOf(32)),
      training: paddedImages(few, range(100), squareOf(32)),
      patch,
      overlap,
      window,
    });
    assertEquals([result.values, result.series], [whole.values, whole.series], metric);
    assertEquals([label, images, count], [undefined, [range(501)], metric === "spread" ? 100 : 501]);
  }
});

Deno.test("runMetrics: values land at their images, class by class, whatever the order of the images", async () => {
  const order = shuffled(60), generated = pick(heldOut, order);
  const metrics = [...metricOf("likelihood"), ...metricOf("originality"), ...metricOf("spread")];
  const [sorted, mixed] = [await run({}, metrics), await run({ generated }, metrics)];
  const before = valuesByImage(sorted, 60), after = valuesByImage(mixed, 60);
  const names = ["likelihood", "originality", "originality dG", "originality dT", "originality nearest"];
  assertEquals(before.map(({ name }) => name), names, "spread has values of training images");
  assertEquals(after.map(({ name }) => name), names);
  for (const [c, { name, values }] of after.entries()) {
    assertEquals(values.length, 60);
    order.forEach((from, to) => assertEquals(values[to], before[c].values[from], `${name} of image ${to}`));
  }
  for (const [m, { score, groups, pooled }] of mixed.entries()) {
    assertAlmostEquals(score, sorted[m].score, 1e-9);
    assertAlmostEquals(pooled, sorted[m].pooled, 1e-9);
    assertEquals(groups.map(({ label, count }) => [label, count]), sorted[m].groups.map((g) => [g.label, g.count]));
  }
  // An image alone, against the training images of its class, has the value that it has among all.
  for (const i of [0, 17, 59]) {
    const label = generated.labels![i];
    const [alone] = await run({ generated: pick(generated, [i]), classes: [label] }, metricOf("likelihood"));
    assertEquals([alone.score, alone.groups], [after[0].values[i], [{ label, score: alone.score, count: 1 }]]);
    assertEquals(alone.images, [Uint32Array.of(0)]);
  }
});

Deno.test("runMetrics: classes that are not given, or have no images, are left out; their images have no value", async () => {
  const generated = pick(heldOut, range(8));
  const [found] = await run({ generated, classes: [2, 9, 5] }, metricOf("originality"));
  assertEquals(found.groups.map(({ label }) => label), [2, 5]);
  assertEquals(found.images, [Uint32Array.of(2), Uint32Array.of(5)]);
  const [{ values }] = valuesByImage([found], 8);
  assertEquals([...values].map(Number.isNaN), [0, 1, 2, 3, 4, 5, 6, 7].map((i) => i !== 2 && i !== 5));
  const [nothing] = await run({ generated, classes: [9] }, metricOf("originality"));
  assertEquals([nothing.score, nothing.count, nothing.groups], [NaN, 0, []]);
  assertEquals(valuesByImage([nothing], 8), []);

  // Metrics of all classes together measure the images of those classes only.
  const [together] = await run({ classes: [3, 4] }, metricOf("label-accuracy"));
  assertEquals([together.count, together.images.length], [12, 1]);
  assert(together.images[0].every((i) => [3, 4].includes(heldOut.labels[i])));
  assert(together.score > 0.7, `the labels of others than the images: ${together.score}`);
});

Deno.test("runMetrics: options and warnings of all classes, once each", async () => {
  const [ten, two] = [await run({}, metricOf("spread")), await run({}, metricOf("spread", { perplexity: 2 }))];
  assertEquals([ten[0].settings.perplexity, two[0].settings.perplexity], [11 / 3, 2]);
  assertNotEquals(ten[0].score, two[0].score);
  assertEquals(ten[0].warnings, [
    "each class, such as 0: compares the first 6 of 30 training and 6 generated images",
    "each class, such as 0: a spread of 6 images does not rank systems: expected 1000 images of a class or more",
    "each class, such as 0: 12 images are too few for perplexity 10: 3.7 is used",
  ]);
  const [named] = await run({ classNames: ["a", "b", "c", "d", "e"] }, metricOf("spread"));
  assertEquals(named.warnings, ten[0].warnings.map((warning) => warning.replace("such as 0", "such as a")));
});

Deno.test("runMetrics: a metric that throws in a worker gives one sentence, and nothing hangs", async () => {
  const generated = { images: heldOut.images };
  for (const threads of [1, 2]) {
    const failing = () =>
      run({ generated, classes: [undefined] }, [...metricOf("originality"), ...metricOf("label-accuracy")], threads);
    const { message } = await assertRejects(failing, Error);
    assertEquals(
      message,
      "label-accuracy: Cannot measure label-accuracy: expected the classes of generated and training images, got none",
    );
  }
  await assertRejects(() => run({}, metricOf("spread", { perplexity: -1 })), Error, "expected a number >= 1.5");
  await assertRejects(() => run({}, metricOf("spred")), Error, 'There is no metric "spred"; nearest: "spread"');
});

Deno.test("runMetrics: a worker with kernels never loses its first job", async () => {
  const generated = pick(heldOut, [1, 2]), few = pick(training, range(20));
  const [first] = await run({ generated, training: few, classes: [undefined] }, metricOf("originality"));
  for (let time = 0; time < 4; time++) {
    const metrics = [...metricOf("originality"), ...metricOf("originality"), ...metricOf("originality")];
    const found = await run({ generated, training: few, classes: [undefined] }, metrics, 3);
    assertEquals(found, [first, first, first]);
  }
});

Deno.test("runMetrics: what a thread with third-party plugins returns is checked here", async () => {
  const own = denoRunner({ threads: 1 }), input = { plan: planned, generated: heldOut, training, classes: CLASSES };
  const posting = (result: unknown, isolated: boolean): Runner => ({
    ...own,
    isolated,
    async *run(_, { tasks }) {
      for (const task of tasks.keys()) yield { type: "result", result: result as never, task };
    },
  });
  const good = { values: new Float64Array(6), of: "generated", series: {}, settings: {}, warnings: [] };
  const [{ count }] = await runMetrics(posting(good, true), input, metricOf("originality"));
  assertEquals(count, 60);
  const forged = { ...good, values: new Float64Array(7) };
  await assertRejects(
    () => runMetrics(posting(forged, true), input, metricOf("originality")),
    Error,
    'Cannot use the result of "originality"',
  );
  await runMetrics(posting(forged, false), input, metricOf("originality")); // built-in code is trusted
});
