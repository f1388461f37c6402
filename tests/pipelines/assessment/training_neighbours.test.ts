import { assertEquals } from "@std/assert";
import { range } from "../../../core/numbers.ts";
import { proceduralDigits } from "../../../datasets/procedural/digits.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { runMetricJob } from "../../../pipelines/assessment/metric_job.ts";
import { squareOf } from "../../../core/shape.ts";
import { paddedImages } from "../../../pipelines/assessment/padded_images.ts";
import { trainingNeighbours } from "../../../pipelines/assessment/training_neighbours.ts";
import { wasm } from "../../kernels_under_test.ts";

const set = proceduralDigits("train", 12), training = paddedImages(set, range(120), squareOf(28));
const module = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../assembly/kernels.wasm", import.meta.url)),
);

/** A runner that keeps bytes in a map, and counts what is read and written. */
function keeping() {
  const kept = new Map<string, Uint8Array>(), counts = { read: 0, written: 0, updates: 0 };
  const cache = {
    read: (name: string, key: Uint8Array) => {
      const found = kept.get(name + key.join());
      if (found) counts.read++;
      return Promise.resolve(found);
    },
    write: (name: string, key: Uint8Array, bytes: Uint8Array) => {
      counts.written++;
      return Promise.resolve(void kept.set(name + key.join(), bytes.slice()));
    },
  };
  return { runner: inlineRunner({ module, cache, pause: () => Promise.resolve(), now: () => 0 }), counts };
}

Deno.test("trainingNeighbours: the least distances to the other images, computed once and kept", async () => {
  const { runner, counts } = keeping();
  const found = await trainingNeighbours(runner, training, 3, () => counts.updates++);
  assertEquals([counts.read, counts.written, counts.updates], [0, 1, 2]);
  const area = 28 * 28, image = (i: number) => training.pixels.subarray(i * area, (i + 1) * area);
  for (const i of [0, 60, 119]) {
    const all = Array.from({ length: 120 }, (_, j) => image(i).reduce((sum, v, p) => sum + (v - image(j)[p]) ** 2, 0));
    const others = all.filter((_, j) => j !== i).sort((a, b) => a - b);
    assertEquals([...found.squared.subarray(3 * i, 3 * i + 3)], others.slice(0, 3));
  }
  assertEquals(await trainingNeighbours(runner, training, 3, () => counts.updates++), found);
  assertEquals([counts.read, counts.written, counts.updates], [1, 1, 2]);
  await trainingNeighbours(
    runner,
    { ...training, pixels: training.pixels.map((v, p) => p ? v : 255 - v) },
    3,
    () => {},
  );
  assertEquals(counts.written, 2, "other images are not found");
});

Deno.test("trainingNeighbours: metrics score the same with them as without", async () => {
  const generated = paddedImages(proceduralDigits("test", 4), range(40), squareOf(28));
  for (const metric of ["density", "precision"]) {
    for (const each of [2, 5, 9]) {
      const job = { metric, options: {}, generated, training, patch: 6, overlap: 2, window: 2 };
      const neighbours = await trainingNeighbours(keeping().runner, training, each, () => {});
      assertEquals(runMetricJob(wasm, { ...job, trainingNeighbours: neighbours }), runMetricJob(wasm, job), metric);
    }
  }
});
