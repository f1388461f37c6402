import { assert, assertAlmostEquals, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { borrowing, type Kernels } from "../../core/kernels.ts";
import { readPatch } from "../../core/patches.ts";
import { iterationCount } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { projector } from "../../core/projection.ts";
import { rebuild } from "../../core/provenance.ts";
import { stream } from "../../core/random.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { LayerData, Location, Measurements, Step } from "../../core/types.ts";
import { squaredDistance } from "../plain_synthesis.ts";
import { twin, wasm } from "../kernels_under_test.ts";
import { blobs, colouredBlobs, NO_SOURCES, small, smallColour, smallModel, smallSeeds, toEnd } from "../small_world.ts";

const STEP: Step = { rho: 1, h: 1, iteration: 0, zStep: "sample" };
const PATCH = 4, BATCH = 3;

for (const channels of [1, 3]) {
  Deno.test(`projection: draws the nearest patch of the same place, ${channels} channels, at borders too`, () => {
    for (const kernels of [wasm, twin]) {
      for (const at of [{ y: 0, x: 0 }, { y: 3, x: 2 }, { y: 4, x: 6 }, { y: 0, x: 5 }]) {
        borrowing(kernels, () => compare(kernels, channels, { ...at, visits: 1 }));
      }
    }
  });
}

Deno.test("projection: refuses patches of more values than the search can compare", () => {
  const layer = (patch: number) => {
    const hr = { count: 1, channels: 3, height: patch, width: patch, at: wasm.allocate(3 * patch * patch) };
    return { kernels: wasm, hr, patch, batch: 1, channels: 3 } as unknown as LayerData;
  };
  borrowing(wasm, () => {
    projector.fit(layer(104));
    const sentence = "Cannot project: expected patches of at most 33025 values, got 33708: set projection to 0, or a";
    assertThrows(() => projector.fit(layer(106)), RangeError, sentence);
  });
});

/** Compares what is drawn at a place with a search through all training images, all of them random. */
function compare(kernels: Kernels, channels: number, at: Location): void {
  const shape = { count: 21, channels, height: 8, width: 10 }, length = channels * 80, random = stream(5);
  const hr = { ...shape, at: kernels.allocate(shape.count * length) };
  kernels.u8(hr.at, shape.count * length).forEach((_, p, all) => all[p] = Math.floor(256 * random.next()));
  const layer = { kernels, hr, patch: PATCH, batch: BATCH, channels } as unknown as LayerData;
  const { draw } = projector.fit(layer), inPatch = channels * PATCH * PATCH;
  const [patches, filled] = [0, 1].map(() => kernels.f32(kernels.allocate(BATCH * inPatch * 4), BATCH * inPatch));
  patches.forEach((_, p) => patches[p] = random.next());
  if (at.y > 0) patches.copyWithin(inPatch, 0, inPatch); // two images that are alike
  const measurements: Measurements = { batch: BATCH, patches, lr: new Float32Array(), lrKey: {}, sources: NO_SOURCES };
  const out = { patches: filled, sources: new Int32Array(3 * BATCH) };
  draw(at, measurements, STEP, { uniforms: () => assert(false, "nothing is drawn at random") }, out);
  for (let b = 0; b < BATCH; b++) {
    const query = patches.subarray(b * inPatch, (b + 1) * inPatch);
    const distances = Array.from({ length: hr.count }, (_, image) => {
      return squaredDistance(query, readPatch(layer, image, at, new Float64Array(inPatch)));
    });
    const [image, y, x] = out.sources.subarray(3 * b, 3 * b + 3);
    assertEquals([y, x], [at.y, at.x]);
    const source = readPatch(layer, image, at, new Float32Array(inPatch));
    assertEquals(out.patches.slice(b * inPatch, (b + 1) * inPatch), source);
    // The search rounds queries to parts of a grey level.
    assertAlmostEquals(distances[image], Math.min(...distances), 1e-3);
  }
}

/** A profile whose layers end with projections, l = 0 first. */
function projecting(profile: Profile, ...iterations: number[]): Profile {
  return { ...profile, layers: profile.layers.map((layer, l) => ({ ...layer, projection: iterations[l] })) };
}

Deno.test("projection: more iterations of the same ADMM; a single one leaves the average of training patches", () => {
  for (const [profile, training] of [[small, blobs()], [smallColour, colouredBlobs()]] as const) {
    const model = smallModel(wasm, { profile: projecting(profile, 1, 2), images: training });
    assertEquals(model.plan.layers.map(iterationCount), [5, 4]);
    const { steps, pixels, provenance } = toEnd(
      synthesize(model, { seed: 3, images: [4, 9], seedImages: smallSeeds(model, [4, 9]) }),
    );
    const iterations = [[1, 0], [1, 1], [1, 2], [1, 3], [0, 0], [0, 1], [0, 2], [0, 3], [0, 4]];
    assertEquals(steps.map(({ layer, iteration }) => [layer, iteration]), iterations);
    provenance.forEach((one, b) => {
      const length = pixels.length / 2, whole = rebuild(one, training);
      assertEquals(one.sources.filter((image, i) => i % 3 === 0 && image < 0).length, 0);
      whole.forEach((value, p) => assert(Math.abs(255 * value - pixels[b * length + p]) < 0.6, `pixel ${p}`));
      for (let i = 0; i < one.positions.length; i++) {
        const [, y, x] = one.sources.subarray(3 * i, 3 * i + 3);
        assertEquals({ y, x }, { y: one.positions[i].y, x: one.positions[i].x });
      }
    });
  }
});

Deno.test("projection: the same bytes from the kernels and their twin, whatever the batch; without it nothing changes", () => {
  const run = (kernels: Kernels, profile: Profile, images: number[]) => {
    const model = smallModel(kernels, { profile });
    return toEnd(synthesize(model, { seed: 3, images, seedImages: smallSeeds(model, images) })).pixels;
  };
  const projected = projecting(small, 2, 0), all = run(wasm, projected, [0, 1, 2]);
  assertEquals(run(twin, projected, [0, 1, 2]), all);
  assertEquals(run(wasm, projected, [2]), all.slice(2 * 256));
  assertEquals(run(wasm, projecting(small, 0, 0), [0, 1]), run(wasm, small, [0, 1]));
  assertNotEquals(run(wasm, small, [0, 1, 2]), all);
});
