import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { plan } from "../../../../core/plan.ts";
import type { Profile } from "../../../../core/profile.ts";
import { contributors } from "../../../../core/provenance.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { finish } from "../../../../core/steps.ts";
import type { Images } from "../../../../core/types.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import type { GroupImage, TracedImage } from "../../../../pipelines/run/synthesized_image.ts";
import type { Traced } from "../../../../pipelines/run/trace.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { wasm as kernels } from "../../../kernels_under_test.ts";
import { blobs, small } from "../../../small_world.ts";

const NUMBERS = [4, 0, 7, 2];
const WINDOWS = [15, 13, 11, 9, 7, 5, 3, 3];

/** Makes images from noise, with the layers below `layer`. */
function make(
  noise: Profile["noise"],
  { batch = 4, numbers = NUMBERS, training: images = blobs(), traced }: {
    batch?: number;
    numbers?: readonly number[];
    training?: Images;
    traced?: Traced;
  } = {},
) {
  const planned = plan({
    ...small,
    from: "noise",
    noise: { steps: 8, windows: WINDOWS, minOriginality: 0, maxStructure: 1, ...noise },
  }, builtins);
  const mark = kernels.mark();
  const training = finish(trainingPyramid(kernels, images, planned.sizes));
  const before = kernels.mark();
  const made: (GroupImage & TracedImage)[] = [];
  const steps: number[] = [];
  for (const event of runHere(kernels, { plan: planned, seed: 5, batch, traced, groups: [{ training, numbers }] })) {
    if (event.type === "image") made.push(event.image);
    if (event.type === "step") steps.push(event.step);
  }
  assertEquals(kernels.mark(), before, "all kernel memory is given back");
  kernels.release(mark);
  return { images: made, steps };
}

for (const layer of [0, 1, 2]) {
  Deno.test(`from noise at layer ${layer}: an image depends on its number, not on its batch`, () => {
    const all = make({ layer }), steps = Array.from({ length: 8 }, (_, step) => step);
    assertEquals(all.steps, steps);
    assertEquals(
      all.images.map(({ number, pixels }) => [number, pixels.length]),
      NUMBERS.map((number) => [number, 256]),
    );
    assertEquals(make({ layer }, { batch: 3 }).images, all.images);
    const [alone] = make({ layer }, { numbers: [7] }).images;
    assertEquals(alone.pixels, all.images[2].pixels);
    assert(new Set(all.images.map(({ pixels }) => pixels.join())).size === 4);
  });
}

Deno.test("from noise without layers: a training set of one image gives that image, and names it", () => {
  const training = blobs(1);
  for (const { pixels, contributors } of make({ layer: 0 }, { training }).images) {
    assertEquals(pixels, training.pixels);
    assertEquals(contributors, [{ image: 0, share: 1 }]);
  }
});

Deno.test("from noise without layers: each pixel names the training image whose window is nearest", () => {
  const training = blobs();
  for (const { pixels, provenance } of make({ layer: 0 }).images) {
    const distance = (n: number, at: number) => {
      let sum = 0;
      for (let y = Math.max(0, (at >> 4) - 1); y <= Math.min(15, (at >> 4) + 1); y++) {
        for (let x = Math.max(0, at % 16 - 1); x <= Math.min(15, at % 16 + 1); x++) {
          sum += (pixels[16 * y + x] - training.pixels[256 * n + 16 * y + x]) ** 2;
        }
      }
      return sum;
    };
    for (const at of [0, 15, 17, 100, 136, 255]) {
      const distances = Array.from({ length: 24 }, (_, n) => distance(n, at));
      assertEquals(provenance.sources[3 * at], distances.indexOf(Math.min(...distances)));
    }
    const shares = contributors(provenance).reduce((sum, { share }) => sum + share, 0);
    assertAlmostEquals(shares, 1, 1e-9);
  }
});

Deno.test("from noise: images that are too near to a training image are made again, and the best is kept", () => {
  // Windows of the whole image copy: of so few training images every image is one of them.
  const windows = new Array(8).fill(31);
  const copies = make({ layer: 0, windows });
  assert(copies.images.every(({ nearest }) => nearest!.distance < 0.1));
  const limited = make({ layer: 0, windows, minOriginality: 0.5 });
  assertEquals(limited.images.map(({ tries }) => tries), [8, 8, 8, 8]);
  const structured = make({ layer: 0, windows, maxStructure: 0.9 });
  assertEquals(structured.images.map(({ tries }) => tries), [8, 8, 8, 8]);
  // Small windows make new images.
  const free = make({ layer: 0, windows: new Array(8).fill(3), minOriginality: 0.2, maxStructure: 0.99 });
  assertEquals(free.images.map(({ tries }) => tries), [1, 1, 1, 1]);
});

Deno.test("from noise: an image depends on all training images that a step compared, the nearest among them", () => {
  for (const { lineage, provenance, nearest } of make({ layer: 0 }, { traced: "dependencies" }).images) {
    const { dependsOn, drawnFrom } = lineage!;
    const isIn = (bits: Uint8Array, n: number) => (bits[n >> 3] & 0x80 >> (n & 7)) !== 0;
    for (let at = 0; at < 256; at++) assert(isIn(drawnFrom, provenance.sources[3 * at]));
    for (let n = 0; n < 24; n++) assert(!isIn(drawnFrom, n) || isIn(dependsOn, n));
    assert(isIn(dependsOn, nearest!.image) && isIn(dependsOn, nearest!.other));
  }
});
