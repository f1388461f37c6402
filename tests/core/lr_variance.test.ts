import { assertAlmostEquals, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { lrVariance } from "../../core/lr_variance.ts";
import { plan } from "../../core/plan.ts";
import type { Profile } from "../../core/profile.ts";
import { synthesize } from "../../core/synthesize.ts";
import type { Planes } from "../../core/types.ts";
import { builtins } from "../../plugins/mod.ts";
import { twin, wasm } from "../kernels_under_test.ts";
import { colouredBlobs, small, smallColour, smallModel, smallSeeds, toEnd } from "../small_world.ts";

/** The variance of each value over the images, averaged, in plain loops. */
function plainVariance({ count, channels, height, width, rows }: Planes): number {
  const length = channels * height * width, bytes = wasm.u8(rows, count * length);
  const variances = Array.from({ length }, (_, v) => {
    const values = Array.from({ length: count }, (_, i) => bytes[i * length + v] / 255);
    const mean = values.reduce((sum, value) => sum + value, 0) / count;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  });
  return variances.reduce((sum, variance) => sum + variance, 0) / length;
}

Deno.test("lrVariance: of each value over the images, averaged, in every layer, grey and colour", () => {
  for (const given of [{ profile: small }, { profile: smallColour, images: colouredBlobs() }]) {
    for (const lr of smallModel(wasm, given).training.lr) {
      assertAlmostEquals(lrVariance(wasm, lr), plainVariance(lr), 1e-9);
    }
  }
});

Deno.test("lrVariance: above 0 for images that are all the same", () => {
  const [lr] = smallModel(wasm, { profile: small }).training.lr;
  assertEquals(lrVariance(wasm, { ...lr, count: 1 }), (0.5 / 255) ** 2);
});

Deno.test("relativeH: h times the variance of the layer's LR images; absolute where it is left out", () => {
  const run = (profile: Profile, kernels = wasm) => {
    const model = smallModel(kernels, { profile });
    return toEnd(synthesize(model, { seed: 3, images: [0, 1], seedImages: smallSeeds(model, [0, 1]) })).pixels;
  };
  const { lr } = smallModel(wasm, { profile: small }).training;
  const times = (factor: (layer: number) => number): Profile => {
    return { ...small, layers: small.layers.map((layer, l) => ({ ...layer, h: layer.h.map((h) => h * factor(l)) })) };
  };
  const relative = { ...times(() => 0.01), relativeH: true };
  const absolute = times(() => 0.01),
    scaled = {
      ...absolute,
      layers: absolute.layers.map((layer, l) => ({ ...layer, h: layer.h.map((h) => h * lrVariance(wasm, lr[l])) })),
    };
  assertEquals(run(relative), run(scaled));
  assertEquals(run(relative, twin), run(scaled));
  assertEquals(run({ ...absolute, relativeH: false }), run(absolute));
  assertNotEquals(run(relative), run(absolute));
});

Deno.test("relativeH: a profile says true or false", () => {
  const wrong = { ...small, relativeH: 1 } as unknown as Profile;
  assertThrows(
    () => plan(wrong, builtins),
    Error,
    "Cannot use relativeH of the profile: expected true or false, got 1",
  );
});
