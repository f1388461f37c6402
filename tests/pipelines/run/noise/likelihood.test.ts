/** The least likelihood of images from noise: how it is learned, and that images are made again for it. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { kernelMemory, loadKernels } from "../../../../core/kernels.ts";
import { isNoiseChosen, plan } from "../../../../core/plan.ts";
import type { Profile } from "../../../../core/profile.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { finish } from "../../../../core/steps.ts";
import { structureRows } from "../../../../core/structure.ts";
import type { Images, Rows } from "../../../../core/types.ts";
import { denoRunner } from "../../../../hosts/deno/workers/deno_runner.ts";
import type { Job } from "../../../../pipelines/run/job.ts";
import { NO_LIMITS } from "../../../../pipelines/run/noise/gate.ts";
import { likelihoodGate, likelihoodShortfalls } from "../../../../pipelines/run/noise/likelihood.ts";
import { isRedrawn } from "../../../../pipelines/run/redraw_forecast.ts";
import { run } from "../../../../pipelines/run/run.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import { dependsOnAll } from "../../../../pipelines/synthesis/dependencies.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { compiled, wasm } from "../../../kernels_under_test.ts";
import { blobs, small } from "../../../small_world.ts";

const FREE = { windows: [5, 5, 5, 5, 3, 3], minOriginality: 0, maxStructure: 1, steps: 6 };

const planned = (noise: Profile["noise"], layer = 1, size = 16) => {
  return plan({ ...small, size, from: "noise", noise: { ...FREE, layer, ...noise } }, builtins);
};
/** Uses the training images of a plan; their memory is given back. */
function withTraining<Result>(of: ReturnType<typeof planned>, images: Images, use: (hr: readonly Rows[]) => Result) {
  const mark = wasm.mark();
  const result = use(finish(trainingPyramid(wasm, images, of.sizes)).hr);
  wasm.release(mark);
  return result;
}

Deno.test("minLikelihood: a quantile of training images left out of the fit, by the Gaussian of two pixels in closed form", () => {
  // Of a region of two pixels the features are x and -x: half of the difference over its size plus 4.
  const region = { name: "pair", x: 0.25, y: 0.5, width: 1 / 8, height: 1 / 16 },
    of = planned({ likelyIn: [region] }, 0);
  withTraining(of, blobs(160), ([hr]) => {
    const gateOf = (minLikelihood: number, rows = hr) => {
      return finish(likelihoodGate(wasm, rows, { ...of.noise!, minLikelihood }));
    };
    const structures = structureRows(wasm, hr);
    const features = Array.from({ length: 160 }, (_, n) => {
      const [a, b] = wasm.u8(structures.at + n * 256 + 8 * 16 + 4, 2);
      return (a - b) / 2 / (Math.abs(a - b) / 2 + 4);
    });
    // Every eighth image is left out, as `parted` spreads them.
    const fitted = features.filter((_, n) => n % 8 > 0), mean = fitted.reduce((sum, x) => sum + x, 0) / fitted.length;
    const variance = fitted.reduce((sum, x) => sum + (x - mean) ** 2, 0) / fitted.length;
    // The covariance is [[v, -v], [-v, v]] plus a tenth of v on its diagonal: (1, -1) is its eigenvector of 2.1 v.
    const likely = features.map((x) => -((x - mean) ** 2) / (2.1 * variance));
    const sorted = likely.filter((_, n) => n % 8 === 0).sort((a, b) => a - b);
    for (const part of [0.1, 0.5, 1]) {
      const [{ limit }] = gateOf(part)!.areas;
      assertAlmostEquals(limit.least, sorted[Math.min(Math.floor(part * 20), 19)], 1e-9);
      assertAlmostEquals(limit.median, sorted[10], 1e-9);
    }
    const pixels = wasm.u8(hr.at, 160 * 256).slice(), half = gateOf(0.25)!;
    const shortfalls = finish(likelihoodShortfalls(wasm, half, pixels, { height: 16, width: 16, channels: 1 }));
    shortfalls.forEach((lacks, n) => {
      const missing = Math.max(sorted[5] - likely[n], 0);
      assertAlmostEquals(lacks, missing / (missing + sorted[10] - sorted[5]), 1e-9);
    });
    assertEquals(gateOf(0), undefined, "nothing is asked");
    assertEquals(gateOf(0.5, { ...hr, count: 79 }), undefined, "an eighth of 79 are too few to say");
    assert(gateOf(0.5, { ...hr, count: 80 }));
  });
});

Deno.test("minLikelihood: images that are unlikely behind the next layer are made again, as often as said, and the best is kept", () => {
  const numbers = Array.from({ length: 8 }, (_, n) => n);
  const made = (layer: number, noise: Profile["noise"]) => {
    const size = { height: 16 << layer, width: 16 << layer, channels: 1 }, mark = wasm.mark();
    const of = planned({ minLikelihood: 0.1, ...noise }, layer, size.height);
    const training = finish(trainingPyramid(wasm, blobs(160, size.height), of.sizes)),
      results: { tries: number; lacks: number }[] = [];
    const asked = { ...of.noise!, minLikelihood: 0.1 };
    const gate = finish(likelihoodGate(wasm, training.hr[layer], asked))!;
    for (const event of runHere(wasm, { plan: of, seed: 1, batch: 8, groups: [{ training, numbers }] })) {
      if (event.type !== "image") continue;
      const [lacks] = finish(likelihoodShortfalls(wasm, gate, event.image.pixels, size));
      results.push({ tries: event.image.tries ?? 1, lacks });
    }
    wasm.release(mark);
    return results;
  };
  // From layer 1 the next layer is the finest, so that finished images are measured; from layer 0 none follows.
  for (const layer of [1, 0]) {
    const free = made(layer, { minLikelihood: 0 }), limited = made(layer, { tries: 4 }), longer = made(layer, {});
    assert(free.some(({ lacks }) => lacks > 0), "without the limit there are such images");
    for (const [results, most] of [[limited, 4], [longer, 8]] as const) {
      assert(results.every(({ tries, lacks }) => tries <= most && (lacks === 0 || tries === most)));
      assert(results.every(({ lacks }, n) => lacks <= free[n].lacks), "the best is kept");
      assertEquals(results.map(({ tries }) => tries > 1), free.map(({ lacks }) => lacks > 0));
    }
    assert(longer.some(({ tries, lacks }) => tries > 1 && lacks === 0), "such images are replaced");
  }
});

Deno.test("minLikelihood: is not asked where images do not reach what is typical of the training images", () => {
  const triesBy = (maxShortfall: number) => {
    const of = planned({ minLikelihood: 1, minTypicality: 0.1, tries: 2 }, 0), mark = wasm.mark();
    const training = finish(trainingPyramid(wasm, blobs(88), of.sizes));
    // A choice that was made before: it limits nothing else.
    const noise = { ...NO_LIMITS, windows: FREE.windows, maxShortfall };
    const events = [...runHere(wasm, { plan: of, seed: 1, batch: 2, groups: [{ training, numbers: [0, 1], noise }] })];
    wasm.release(mark);
    return events.flatMap((event) => event.type === "image" ? event.image.tries : []);
  };
  assertEquals([triesBy(0), triesBy(0.1)], [[2, 2], [1, 1]]);
});

Deno.test("minLikelihood: the same on two threads, and every image depends on all training images", async () => {
  const kernels = loadKernels(compiled("kernels.shared.wasm"), kernelMemory({ shared: true }));
  const of = planned({ minLikelihood: 0.4 }, 1, 32),
    training = finish(trainingPyramid(kernels, blobs(88, 32), of.sizes));
  const job: Job = { plan: of, seed: 3, batch: 2, groups: [{ training, numbers: [0, 1, 2, 3] }] };
  const here: Uint8Array[] = [], there: Uint8Array[] = [];
  for (const event of runHere(kernels, job)) if (event.type === "image") here[event.image.number] = event.image.pixels;
  using runner = denoRunner({ threads: 2, quiet: true });
  for await (const event of run(job, runner, kernels)) {
    if (event.type === "image") there[event.image.number] = event.image.pixels;
  }
  assertEquals(there, here);
  assertEquals([isRedrawn(of, 88), isRedrawn(planned({}), 88), isNoiseChosen(of.noise!)], [true, false, false]);
  const why = dependsOnAll({ plan: of, seedSource: "noise" }, { height: 32, width: 32 }, 88);
  assertEquals(why, "images are held against how likely training images are (noise.minLikelihood)");
});
