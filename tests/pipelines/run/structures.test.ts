import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { closestCorrelations } from "../../../core/correlation.ts";
import { borrowing } from "../../../core/kernels.ts";
import { plan } from "../../../core/plan.ts";
import { seedImages, trainingPyramid } from "../../../core/pyramid.ts";
import { finish } from "../../../core/steps.ts";
import { structureRows } from "../../../core/structure.ts";
import { hasImage } from "../../../pipelines/run/image_bits.ts";
import { MAX_TRIES } from "../../../pipelines/run/redraw_forecast.ts";
import { run } from "../../../pipelines/run/run.ts";
import { runHere } from "../../../pipelines/run/run_task.ts";
import type { Cache } from "../../../pipelines/run/runner.ts";
import { rowsOf } from "../../../core/nearest.ts";
import { structureImages, withStructures } from "../../../pipelines/run/structures.ts";
import type { GroupImage } from "../../../pipelines/run/synthesized_image.ts";
import { builtins } from "../../../plugins/mod.ts";
import { inlineRunner } from "../../inline_runner.ts";
import { compiled, wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

const HOST = { module: compiled("kernels.wasm"), pause: () => Promise.resolve(), now: () => 0 };
const NUMBERS = [4, 0, 7, 2, 9];
const training = blobs(24, 32);

/** The job that makes five images, with the most structure of the finest layer and of the coarser one. */
function jobOf(maxStructure = 1, coarse = 1, batch = 5) {
  const layers = small.layers.map((layer, l) => ({ ...layer, maxStructure: [maxStructure, coarse][l] }));
  const planned = plan({ ...small, size: 32, layers }, builtins);
  const pyramid = finish(trainingPyramid(kernels, training, planned.sizes));
  const seeds = seedImages(kernels, blobs(24, 32, 2), planned.sizes, NUMBERS);
  const groups = [{ training: pyramid, numbers: NUMBERS, seedImages: seeds }];
  return { plan: planned, seed: 5, batch, groups, traced: "dependencies" as const };
}

/** Makes them in this thread. */
function make(maxStructure = 1, coarse = 1, batch = 5): GroupImage[] {
  return borrowing(kernels, () => {
    const images: GroupImage[] = [];
    const job = jobOf(maxStructure, coarse, batch);
    const before = kernels.mark();
    for (const event of runHere(kernels, job)) if (event.type === "image") images.push(event.image);
    assertEquals(kernels.mark(), before, "all kernel memory is given back");
    return images;
  });
}

/** The structure that images share with training images, measured as the metric does. */
function structuresOf(images: readonly GroupImage[]) {
  return borrowing(kernels, () => {
    const pixels = Uint8Array.from(images.flatMap((image) => [...image.pixels]));
    const queries = structureRows(kernels, rowsOf(kernels, { ...training, count: images.length, pixels }));
    return closestCorrelations(kernels, queries, structureRows(kernels, rowsOf(kernels, training)));
  });
}

Deno.test("maxStructure: images that share more are drawn again, whatever the batch; the one that shares least is kept", () => {
  const plain = make();
  const values = structuresOf(plain).correlation;
  const middle = values.toSorted()[2];
  const all = make(middle);
  for (const batch of [1, 2, 3]) assertEquals(make(middle, 1, batch), all);
  const measured = structuresOf(all);
  all.forEach(({ tries, structure, pixels }, i) => {
    assertEquals(structure, { image: measured.nearest[i], correlation: measured.correlation[i] });
    assertEquals(tries === 1, values[i] <= middle, `image ${i}`);
    if (tries === 1) return assertEquals(pixels, plain[i].pixels);
    assert(structure!.correlation <= values[i], "never nearer than the first attempt");
    assert(structure!.correlation <= middle || tries === MAX_TRIES, `image ${i}`);
  });
  assertEquals(make(0).map(({ tries }) => tries), NUMBERS.map(() => MAX_TRIES));
});

Deno.test("maxStructure: beside morphs, structure is that of the real images, and the try that shares least is kept", () => {
  const real = { ...training, count: 9, pixels: training.pixels.slice(0, 9 * 32 * 32) };
  const drawn = (maxStructure: number) =>
    borrowing(kernels, () => {
      const job = jobOf(maxStructure), pyramid = finish(trainingPyramid(kernels, real, job.plan.sizes));
      const groups = job.groups.map((group) => ({ ...group, real: pyramid }));
      return [...runHere(kernels, { ...job, groups })].flatMap((event) => event.type === "image" ? [event.image] : []);
    });
  const sharedBy = (images: readonly GroupImage[]) =>
    borrowing(kernels, () => {
      const pixels = Uint8Array.from(images.flatMap((image) => [...image.pixels]));
      const queries = structureRows(kernels, rowsOf(kernels, { ...training, count: images.length, pixels }));
      return closestCorrelations(kernels, queries, structureRows(kernels, rowsOf(kernels, real)));
    });
  const plain = sharedBy(make()).correlation, limited = drawn(0), { nearest, correlation } = sharedBy(limited);
  limited.forEach(({ structure, tries, lineage }, i) => {
    assertEquals([structure, tries], [{ image: nearest[i], correlation: correlation[i] }, MAX_TRIES]);
    assert(correlation[i] <= plain[i], "never nearer than the first attempt");
    for (let n = 0; n < training.count; n++) assert(hasImage(lineage!.dependsOn, n), "it depends on all");
  });
});

Deno.test("maxStructure of a coarser layer decides before the others are drawn", () => {
  const plain = make(), limited = make(1, 0.2);
  assert(limited.some(({ tries }) => tries! > 1));
  assert(
    limited.every(({ structure }) => structure === undefined),
    "only a limit of finished images is measured there",
  );
  limited.forEach(({ tries, pixels }, i) => {
    if (tries === 1) assertEquals(pixels, plain[i].pixels);
  });
});

Deno.test("maxStructure: an image depends on the training image whose structure is nearest", () => {
  for (const { lineage, structure } of make(0.8)) assert(hasImage(lineage!.dependsOn, structure!.image));
});

Deno.test("run: the structure of training images is computed once for all tasks, and the images are the same", async () => {
  const mark = kernels.mark();
  const job = jobOf(0.8, 0.9, 2), runner = { ...inlineRunner(HOST), threads: 3 };
  const images: GroupImage[] = [];
  for await (const event of run(job, runner, kernels)) if (event.type === "image") images.push(event.image);
  const here: GroupImage[] = [];
  for (const event of runHere(kernels, job)) if (event.type === "image") here.push(event.image);
  assertEquals(images.sort((a, b) => a.number - b.number), here.sort((a, b) => a.number - b.number).map(unlike));
  const [{ structures }] = (await withStructures({ job, runner, kernels }))!.groups;
  structures!.forEach((rows, l) => {
    const wanted = structureRows(kernels, job.groups[0].training.hr[l]), length = rows!.height * rows!.width * 24;
    assertEquals(kernels.u8(rows!.at, length), kernels.u8(wanted.at, length));
  });
  const free = jobOf();
  assertEquals(await withStructures({ job: free, runner, kernels }), free);
  kernels.release(mark);
});

/** An image as threads post it. */
function unlike(image: GroupImage): GroupImage {
  const { provenance: _, ...posted } = image as GroupImage & { provenance?: unknown };
  return posted;
}

Deno.test("structureImages: in parts as at once; kept bytes are taken, if they are as many", async () => {
  const many = blobs(450), kept = new Map<string, Uint8Array>();
  const cache: Cache = {
    read: (name, key) => Promise.resolve(kept.get(name + key.length)),
    write: (name, key, bytes) => Promise.resolve(void kept.set(name + key.length, bytes)),
  };
  const runner = { ...inlineRunner(HOST), cache };
  const first = (await structureImages(runner, many))!;
  const wanted = borrowing(kernels, () => {
    const rows = structureRows(kernels, rowsOf(kernels, many));
    return kernels.u8(rows.at, 450 * rows.height * rows.width).slice();
  });
  assertEquals(first.pixels, wanted);
  const [[name]] = kept;
  kept.set(name, wanted.map((byte) => 255 - byte));
  assertEquals((await structureImages(runner, many))!.pixels[7], 255 - wanted[7]);
  kept.set(name, wanted.subarray(1));
  assertEquals((await structureImages(runner, many))!.pixels, wanted);
  assertAlmostEquals(first.count, 450);
});
