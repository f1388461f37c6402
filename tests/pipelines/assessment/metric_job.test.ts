import { assert, assertEquals, assertThrows } from "@std/assert";
import { checkNumbers } from "../../../core/metric_result.ts";
import type { MetricResult } from "../../../core/metric.ts";
import { checkedPost, joinResults, type MetricJob, runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { builtins } from "../../../plugins/mod.ts";
import { wasm } from "../../kernels_under_test.ts";
import { blobs } from "../../hosts/deno/cli.ts";

function images(count: number, first = 0) {
  return { count, height: 32, width: 32, pixels: blobs(count, 32, first) };
}

const JOB: MetricJob = {
  metric: "originality",
  options: {},
  generated: images(5, 100),
  training: images(9),
  patch: 8,
  overlap: 4,
  window: 2,
};

Deno.test("runMetricJob: what the metric finds, for each option, after a journey to a worker too", () => {
  const distance = (a: Uint8Array, b: Uint8Array) => Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0)) / 255;
  const of = ({ pixels }: { pixels: Uint8Array }, i: number) => pixels.subarray(i * 1024, (i + 1) * 1024);
  const found = runMetricJob(wasm, structuredClone(JOB));
  for (let i = 0; i < 5; i++) {
    const to = Array.from({ length: 9 }, (_, t) => distance(of(JOB.generated, i), of(JOB.training, t)));
    const nearest = to.indexOf(Math.min(...to));
    assertEquals(found.series.nearest[i], nearest);
    assertEquals(found.series.dG[i].toFixed(9), to[nearest].toFixed(9));
  }
  const spread = (perplexity?: number) =>
    runMetricJob(wasm, { ...JOB, metric: "spread", options: perplexity ? { perplexity } : {} }).settings.perplexity;
  assertEquals([spread(2), spread(3)], [2, 3]);
});

Deno.test("runMetricJob: kernel memory is given back, also where a metric fails", () => {
  const height = wasm.mark();
  const failing: [Partial<MetricJob>, string][] = [
    [{ metric: "label-accuracy" }, "expected the classes of generated and training images, got none"],
    [{ metric: "likelyhood" }, 'There is no metric "likelyhood"; nearest: "likelihood"'],
    [{ metric: "spread", options: { perplexity: 0 } }, 'Cannot set "perplexity" on metric "spread"'],
  ];
  for (const [change, sentence] of failing) {
    assertThrows(() => runMetricJob(wasm, { ...JOB, ...change }), Error, sentence);
    assertEquals(wasm.mark(), height);
  }
  for (const metric of ["likelihood", "originality", "spread", "precision", "recall"]) {
    const one = runMetricJob(wasm, { ...JOB, metric });
    assertEquals(wasm.mark(), height, metric);
    // Memory is full of the last job's numbers now: they must not matter.
    assertEquals(runMetricJob(wasm, { ...JOB, metric }), one);
  }
});

Deno.test("joinResults: values and series end to end, warnings once", () => {
  const part = (values: number[], warnings: string[]): MetricResult => ({
    values: Float64Array.from(values),
    of: "generated",
    series: { twice: Float64Array.from(values, (value) => 2 * value) },
    settings: { count: 3 },
    warnings,
  });
  const parts = [part([1, NaN], ["few"]), part([], []), part([3], ["few", "odd"])];
  assertEquals(joinResults(parts), part([1, NaN, 3], ["few", "odd"]));
  assert(joinResults([parts[0]]) === parts[0]);
});

Deno.test("checkedPost: a result of each built-in metric is one; of forged ones none is", () => {
  const labels = { generated: new Uint8Array(5), training: new Uint8Array(9) };
  for (const { name } of builtins.plugins.filter(({ kind }) => kind === "metric")) {
    const job = { ...JOB, metric: name, labels };
    const result = structuredClone(runMetricJob(wasm, job));
    assertEquals(checkedPost(result, job), result);
  }
  const good = runMetricJob(wasm, JOB);
  const long = "x".repeat(2000);
  const lists = Array.from({ length: 101 }, (_, i) => [`n${i}`, 1] as const);
  const forged: [result: unknown, sentence: string][] = [
    [undefined, "expected an object with values, got nothing"],
    [null, "expected an object with values, got null"],
    ["a result", "expected an object with values, got a result"],
    [{ ...good, of: "toString" }, "expected `of` to be generated, training or both, got toString"],
    [{ ...good, of: undefined }, "expected `of` to be generated, training or both, got nothing"],
    [{ ...good, values: [1, 2, 3, 4, 5] }, "expected values, a Float64Array, got [1,2,3,4,5]"],
    [{ ...good, values: new Float64Array(6) }, "expected values of at most 5 images, got 6"],
    [{ ...good, series: null }, "expected series, an object, got null"],
    [{ ...good, series: { nearest: new Float64Array(4) } }, "expected a series of 5 numbers, one a value, got 4"],
    [
      { ...good, series: { nearest: "../../stolen" } },
      'expected series "nearest" to be a Float64Array, got ../../stolen',
    ],
    [{ ...good, of: "both", series: { nearest: new Float64Array(15) } }, "of at most 14 images, got 15"],
    [{ ...good, settings: undefined }, "expected settings, an object, got nothing"],
    [{ ...good, settings: { window: { toString: 1 } } }, 'expected setting "window" to be a finite number or a text'],
    [{ ...good, settings: { window: long } }, "of at most 1000 characters, got 2000"],
    [{ ...good, settings: Object.fromEntries(lists) }, "expected at most 100 settings, got 101"],
    [{ ...good, warnings: "none" }, "expected warnings, a list of texts, got none"],
    [{ ...good, warnings: [1] }, "expected warnings, a list of texts, got 1"],
    [{ ...good, warnings: new Array(1e6).fill("x") }, "expected at most 100 warnings, got 1000000"],
    [{ ...good, standardError: -1 }, "expected a standard error of at least 0, got -1"],
    ...[NaN, Infinity, -Infinity].map((number): [object, string] => {
      return [{ ...good, settings: { k: number } }, `setting "k" to be a finite number or a text, got ${number}`];
    }),
    [{ ...good, tooFew: 5 }, "expected `tooFew` to be a text, got 5"],
  ];
  for (const [result, sentence] of forged) {
    const { message } = assertThrows(() => checkedPost(result as MetricResult, JOB), Error, sentence);
    assert(message.startsWith('Cannot use the result of "originality": expected '), message);
  }
  // What is said of an object is not believed, and what it has beside its entries is left behind.
  const lying = Object.assign(Float64Array.of(1, 2, 3, 4, 5), { extra: long });
  Object.defineProperty(lying, "length", { value: 2 });
  const copied = checkedPost({ ...good, values: lying, extra: long } as MetricResult, JOB);
  assertEquals([copied.values.length, Object.keys(copied)], [5, ["values", "of", "series", "settings", "warnings"]]);
  // A single image has no nearest other: series of built-in metrics may have no end.
  const endless = { ...good, series: { nearest: Float64Array.of(1, 2, Infinity, 4, 5) } };
  assertEquals(checkedPost(endless, JOB), endless);
  const broken = checkedPost({ ...good, warnings: ["few\u001b[2J\nimages"] }, JOB);
  assertEquals(broken.warnings, ["few [2J images"]);
});

Deno.test("checkNumbers: too few values, infinite ones, and NaN for all images without a word why", () => {
  const good = runMetricJob(wasm, JOB), none = new Float64Array(5).fill(NaN);
  const counts = { generated: 5, training: 9, both: 14 };
  checkNumbers(good, counts);
  checkNumbers({ ...good, values: none, warnings: ["few"] }, counts);
  checkNumbers({ ...good, values: Float64Array.of(1, 2, 3), warnings: ["cut"] }, counts);
  checkNumbers({ ...good, values: none, tooFew: "few" }, counts);
  const wrong: [result: MetricResult, sentence: string][] = [
    [
      { ...good, values: Float64Array.of(1, 2, 3, 4, -Infinity) },
      "expected values to be finite, or NaN for an image without one",
    ],
    [{ ...good, values: new Float64Array(5).fill(1.7e308) }, "expected values with a finite sum, got 1.7e+308"],
    [{ ...good, values: none, warnings: [] }, "expected a number, a warning, or a reason why there is none"],
    [{ ...good, values: Float64Array.of(1, 2, 3, 4) }, "expected one value for each image of `of`, 5 (or fewer and a"],
    [
      { ...good, values: new Float64Array(5), of: "training" },
      "expected one value for each image of `of`, 9 (or fewer",
    ],
  ];
  for (const [result, sentence] of wrong) assertThrows(() => checkNumbers(result, counts), Error, sentence);
  // Of sets of one size, a warning excuses no missing value.
  const short = { ...good, values: Float64Array.of(1, 2, 3, 4), warnings: ["cut"] };
  assertThrows(() => checkNumbers(short, { generated: 5, training: 5, both: 10 }), Error, "5 (or fewer");
});
