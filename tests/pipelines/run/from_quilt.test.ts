import { assert, assertEquals } from "@std/assert";
import { rebuild } from "../../../core/provenance.ts";
import { plan } from "../../../core/plan.ts";
import { finish } from "../../../core/steps.ts";
import { texture } from "../../../datasets/profiles/texture.ts";
import { proceduralTextures } from "../../../datasets/procedural/textures.ts";
import { builtins } from "../../../plugins/mod.ts";
import type { Job } from "../../../pipelines/run/job.ts";
import { run } from "../../../pipelines/run/run.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import { classPyramid } from "../../../pipelines/run/training_pyramids.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";

const { images: TEXTURES, labels } = proceduralTextures();

/** A job of quilted pebbles of 96x80 pixels. */
function pebbles(settings: object = {}): Job {
  const planned = plan({ ...texture, size: [96, 80], ...settings }, builtins);
  const training = finish(classPyramid(kernels, planned, { train: { images: TEXTURES, labels } }, 1));
  return { plan: planned, seed: 1, batch: 2, groups: [{ training, numbers: [0, 1] }] };
}

Deno.test("run: quilting shows progress before there is an image, and a signal between two steps ends it", async () => {
  const mark = kernels.mark(), job = pebbles();
  for (const stopAt of [1, 7, Infinity]) {
    const stopping = new AbortController(), done: number[] = [];
    const runner = inlineRunner({
      module: compiled("kernels.wasm"),
      pause: () => Promise.resolve(),
      now: () => 0,
      signal: stopping.signal,
    });
    let images = 0;
    for await (const event of run(job, runner, kernels)) {
      if (event.type === "image") images++;
      if (event.type !== "progress") continue;
      if (images === 0) done.push(event.done);
      if (done.length >= stopAt) stopping.abort();
    }
    assertEquals(images, stopAt === Infinity ? 2 : 0);
    assert(done.length >= Math.min(stopAt, 20) && done[0] < 0.1, `${done.length} steps, the first at ${done[0]}`);
    assertEquals(done, done.toSorted((a, b) => a - b));
  }
  kernels.release(mark);
});

Deno.test("run: each pixel of a quilted image is that of an exemplar which its provenance names", () => {
  const mark = kernels.mark(), ofPebbles = { ...TEXTURES, count: 1, pixels: TEXTURES.pixels.subarray(3 * 128 * 128) };
  const pictures: Uint8Array[] = [];
  for (const event of runHere(kernels, pebbles())) {
    if (event.type !== "image") continue;
    const { pixels, provenance, contributors, correction } = event.image as typeof event.image & {
      provenance: Parameters<typeof rebuild>[0];
    };
    assertEquals(Array.from(rebuild(provenance, ofPebbles), (value) => Math.round(255 * value)), [...pixels]);
    assertEquals([contributors.map(({ image }) => image), correction], [[0], 0]);
    pictures.push(pixels);
  }
  assertEquals(pictures.length, 2);
  assert(pictures[0].some((byte, i) => byte !== pictures[1][i]), "images of other numbers are others");
  kernels.release(mark);
});

Deno.test("run: with quiltLayer 2 the seed images are quilted, and two layers follow", () => {
  const mark = kernels.mark(), layers = new Set<number>(), seeds: number[][] = [];
  for (const event of runHere(kernels, pebbles({ quiltLayer: 2 }))) {
    if (event.type === "seeds") seeds.push([event.layer, event.width, event.height]);
    if (event.type === "iteration") layers.add(event.layer);
  }
  assertEquals([seeds, [...layers]], [[[2, 24, 20]], [1, 0]]);
  kernels.release(mark);
});
