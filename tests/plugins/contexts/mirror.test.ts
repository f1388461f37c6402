import { assert, assertEquals } from "@std/assert";
import { borrowing } from "../../../core/kernels.ts";
import { contextOf } from "../../../core/model.ts";
import { plan } from "../../../core/plan.ts";
import type { Profile } from "../../../core/profile.ts";
import { range } from "../../../core/numbers.ts";
import { seedImages } from "../../../core/pyramid.ts";
import { synthesize } from "../../../core/synthesize.ts";
import type { Images } from "../../../core/types.ts";
import { mirror } from "../../../plugins/contexts/mirror.ts";
import { builtins } from "../../../plugins/mod.ts";
import { bytes, wasm } from "../../kernels_under_test.ts";
import { small, smallModel, toEnd } from "../../small_world.ts";

Deno.test("mirror: the patch's place and a ring of `extent` pixels around it, all mirrored, each once", () => {
  for (const [patch, extent] of [[3, 0], [4, 2], [2, 1], [1, 0]]) {
    const pixels = mirror.create({ extent, weight: 0.3 }).mask(patch, 16);
    assertEquals(pixels.length, (patch + 2 * extent) ** 2);
    assertEquals(new Set(pixels.map(({ dy, dx }) => `${dy} ${dx}`)).size, pixels.length);
    for (const { dy, dx, weight, mirrored } of pixels) {
      const near = (offset: number) => offset >= -extent && offset < patch + extent;
      assert(near(dy) && near(dx) && weight === 0.3 && mirrored === true, `${dy} ${dx}`);
    }
  }
});

Deno.test("mirror: its pixels are neither the patch's own nor those of the other contexts", () => {
  const count = (contexts: string[]) => {
    const planned = plan({ ...small, contexts }, builtins);
    return contextOf(planned.layers[0]).length;
  };
  assertEquals([count(["mirror"]), count(["square"]), count(["square", "mirror"])], [4, 12, 16]);
});

const COUNT = 24, SIZE = 16, HALF = 8;

/** Images of noise: one half is the same in all of them, the other is each one's own. */
function halves(own: "left" | "right"): Images {
  const noise = bytes(own === "left" ? 1 : 2, COUNT * SIZE * SIZE);
  const pixels = noise.map((byte, p) => (p % SIZE < HALF) === (own === "left") ? byte : noise[p % (SIZE * SIZE)]);
  return { count: COUNT, height: SIZE, width: SIZE, pixels };
}

/** One draw of the nearest at places side by side. */
const once: Profile = {
  ...small,
  prior: ["local-nn", { neighbours: 1 }],
  layers: [{ overlap: 0, iterations: 1, window: 0, h: [1], lambda: [0], rho: [0.01], offsets: [[0, 0]] }],
};

/** The training images that patches in the column `x` come from, for each image of the training set as its own seed. */
function drawnIn(x: number, own: "left" | "right", contexts: string[]): Set<number>[] {
  return borrowing(wasm, () => {
    const model = smallModel(wasm, { profile: { ...once, contexts }, images: halves(own), batch: COUNT });
    const images = range(COUNT), seeds = seedImages(wasm, halves(own), model.plan.sizes, images);
    const { provenance } = toEnd(synthesize(model, { seed: 1, images, seedImages: seeds }));
    return provenance.map(({ positions, sources }) => {
      return new Set(positions.flatMap((position, i) => position.x === x ? [sources[3 * i]] : []));
    });
  });
}

Deno.test("mirror: where patches are all alike, the other side of the image decides", () => {
  const first = Array.from({ length: COUNT }, () => new Set([0])), itself = first.map((_, i) => new Set([i]));
  for (const [own, alike] of [["right", 0], ["left", SIZE - small.patch]] as const) {
    assertEquals(drawnIn(alike, own, []), first);
    assertEquals(drawnIn(alike, own, ["mirror"]), itself);
  }
});

Deno.test("mirror: names no pixels further away than the image is large", () => {
  assertEquals(
    mirror.create({ extent: 64, weight: 0.3 }).mask(4, 16),
    mirror.create({ extent: 16, weight: 0.3 }).mask(4, 16),
  );
});
