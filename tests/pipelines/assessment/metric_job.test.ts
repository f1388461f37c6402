import { assert, assertEquals, assertThrows } from "@std/assert";
import type { MetricResult } from "../../../core/types.ts";
import {
  checkPostedResult,
  joinResults,
  type MetricJob,
  runMetricJob,
} from "../../../pipelines/assessment/metric_job.ts";
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

Deno.test("checkPostedResult: a result of each built-in metric is one; of forged ones none is", () => {
  const labels = { generated: new Uint8Array(5), training: new Uint8Array(9) };
  for (const { name } of builtins.plugins.filter(({ kind }) => kind === "metric")) {
    const job = { ...JOB, metric: name, labels };
    checkPostedResult(structuredClone(runMetricJob(wasm, job)), job);
  }
  const good = runMetricJob(wasm, JOB);
  const forged: unknown[] = [
    undefined,
    null,
    "a result",
    { ...good, of: "toString" },
    { ...good, of: undefined },
    { ...good, values: [1, 2, 3, 4, 5] },
    { ...good, values: new Float64Array(6) },
    { ...good, series: null },
    { ...good, series: { nearest: new Float64Array(4) } },
    { ...good, series: { nearest: "../../stolen" } },
    { ...good, of: "both", series: { nearest: new Float64Array(15) } },
    { ...good, settings: undefined },
    { ...good, settings: { window: { toString: 1 } } },
    { ...good, warnings: "none" },
    { ...good, warnings: [1] },
  ];
  for (const result of forged) {
    const sentence = 'Cannot use the result of "originality": expected the result of a metric, got another one';
    assertThrows(() => checkPostedResult(result as MetricResult, JOB), Error, sentence);
  }
});
