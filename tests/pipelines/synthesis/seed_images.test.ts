import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import { builtins } from "../../../plugins/mod.ts";
import { drawnSeeds } from "../../../pipelines/synthesis/seed_images.ts";
import { seedImages } from "../../../core/pyramid.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

Deno.test("drawnSeeds: of deformed training images, near to one of them and equal to none, also if they are few", () => {
  const images = blobs(6), planned = plan({ ...small, seedModel: "warped" }, builtins), mark = kernels.mark();
  const maker = drawnSeeds(kernels, planned, { images }, { seed: 3 });
  const numbers = [0, 1, 2, 3, 9], seeds = maker([{ images: numbers }]).seeds[0]!;
  const own = seedImages(kernels, images, planned.sizes, [0, 1, 2, 3, 4, 5]);
  assertEquals(seeds.length, numbers.length * 16);
  const distance = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, p) => sum + (value - b[p]) ** 2, 0);
  const imageOf = (set: Float32Array, n: number) => set.subarray(n * 16, (n + 1) * 16);
  const sources = numbers.map((_, i) => {
    const all = [0, 1, 2, 3, 4, 5].map((n) => distance(imageOf(seeds, i), imageOf(own, n))), least = Math.min(...all);
    assert(least > 0 && least < 0.5, String(least));
    return all.indexOf(least);
  });
  assert(new Set(sources).size > 1);
  // A seed image depends on its number, not on those before.
  assertEquals(maker([{ images: [9] }]).seeds[0], imageOf(seeds, 4).slice());
  assertEquals(kernels.mark(), mark);
});
