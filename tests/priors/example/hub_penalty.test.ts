/** The penalty on hubs against a plain count of nearest neighbours. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { trainingLayers } from "../../../core/model.ts";
import { trainingPyramid } from "../../../core/pyramid.ts";
import { finish } from "../../../core/steps.ts";
import type { LayerData } from "../../../core/types.ts";
import { hubPenalties } from "../../../priors/example/hub_penalty.ts";
import { builtins } from "../../../plugins/mod.ts";
import { twin, wasm } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const COUNT = 120, planned = plan(small, builtins);
const layersOn = (kernels: typeof wasm): LayerData[] => {
  return trainingLayers(kernels, planned, finish(trainingPyramid(kernels, blobs(COUNT), planned.sizes)), 1).map((
    { data },
  ) => data);
};

const penalties = (layer: LayerData, hubPenalty: number) => finish(hubPenalties(layer, hubPenalty));

/** How often each of the 8x8 images is among the 15 nearest, an eighth, of the others; of two as near, the lower number is nearer. */
function plainCounts({ kernels, hr: { at } }: LayerData): number[] {
  const images = Array.from({ length: COUNT }, (_, i) => [...kernels.u8(at + 64 * i, 64)]);
  const counts = new Array<number>(COUNT).fill(0);
  images.forEach((one, i) => {
    const others = images.map((other, j) => ({ j, far: other.reduce((sum, v, p) => sum + (v - one[p]) ** 2, 0) }));
    const near = others.filter(({ j }) => j !== i).sort((a, b) => a.far - b.far || a.j - b.j).slice(0, 15);
    for (const { j } of near) counts[j]++;
  });
  return counts;
}

Deno.test("hubPenalties: hubPenalty log((occ + 1) / (mean + 1)), the same in every layer and from the twin", () => {
  const [finest, coarsest] = layersOn(wasm), counts = plainCounts(coarsest), found = penalties(coarsest, 1.5);
  assertEquals(counts.reduce((a, b) => a + b, 0), 15 * COUNT);
  found.forEach((penalty, i) => assertAlmostEquals(penalty, 1.5 * Math.log((counts[i] + 1) / 16), 1e-12));
  assert(Math.max(...found) > 0.3 && Math.min(...found) < -0.3);
  assertEquals(penalties(finest, 1.5), found, "16x16 images are halved to the same 8x8 ones");
  assertEquals(layersOn(twin).map((layer) => penalties(layer, 1.5)), [found, found]);
});

Deno.test("hubPenalties: all kernel memory is given back; one training image has no penalty", () => {
  const [layer] = layersOn(wasm), before = wasm.mark();
  penalties(layer, 1);
  assertEquals(wasm.mark(), before);
  const alone = finish(trainingPyramid(wasm, blobs(1), planned.sizes));
  const [{ data }] = trainingLayers(wasm, planned, alone, 1);
  assertEquals([...penalties(data, 1)], [0]);
});

Deno.test("hubPenalties: training images are counted once, whatever the penalty", () => {
  const [layer] = layersOn(wasm), first = penalties(layer, 1), done = wasm.workDone();
  const second = penalties(layer, 2);
  assertEquals(wasm.workDone(), done);
  assertEquals(second, first.map((penalty) => 2 * penalty));
});
