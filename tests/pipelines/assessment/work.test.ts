import { assert, assertEquals } from "@std/assert";
import type { MetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { estimatedWork } from "../../../pipelines/assessment/work.ts";
import { builtins } from "../../../plugins/mod.ts";

const set = (count: number, size: number) => ({ count, height: size, width: size, pixels: new Uint8Array() });
const faces = { options: {}, generated: set(100, 128), training: set(4500, 128), patch: 8, overlap: 2, window: 0 };
const seconds = (metric: string, change: Partial<MetricJob> = {}) =>
  estimatedWork({ ...faces, heldOut: set(500, 128), metric, ...change }) / 1e9;

Deno.test("estimatedWork: within a factor of two of what was measured on 100 of 4500 faces", () => {
  const measured = {
    likelihood: 1.97,
    originality: 0.9,
    spread: 0.25,
    judge: 0.39,
    precision: 14.8,
    density: 15.6,
    coverage: 0.19,
    "two-sample": 0.2,
    "closest-record": 2.17,
    "closest-correlation": 1.07,
    structure: 2.8,
  };
  for (const [metric, wanted] of Object.entries(measured)) {
    const found = seconds(metric);
    assert(found > wanted / 2.1 && found < 2.1 * wanted, `${metric}: ${found} s, measured ${wanted} s`);
  }
  const trainingNeighbours = { each: 5, squared: new Float64Array() };
  assert(seconds("density", { trainingNeighbours }) < 1, "the neighbours of the training images are known");
});

Deno.test("estimatedWork: of every metric, also a third-party one, and more for more images", () => {
  const metrics = builtins.plugins.filter(({ kind }) => kind === "metric").map(({ name }) => name);
  for (const metric of [...metrics, "wobble"]) {
    assert(seconds(metric, { generated: set(200, 128) }) > seconds(metric), metric);
    const none = { generated: set(0, 128), training: set(0, 128), heldOut: undefined };
    assertEquals(seconds(metric, none), 0);
  }
});
