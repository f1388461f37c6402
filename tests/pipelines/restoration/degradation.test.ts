import { assert, assertAlmostEquals, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { plan } from "../../../core/plan.ts";
import {
  checkImages,
  checkMask,
  degradeImages,
  maskNames,
  maskOf,
  observedSize,
  withNoise,
} from "../../../pipelines/restoration/degradation.ts";
import { builtins } from "../../../plugins/mod.ts";
import { floats, twin, wasm } from "../../kernels_under_test.ts";
import { blobs, small } from "../../small_world.ts";

Deno.test("maskOf: the lower right quarter, the lower half, the middle", () => {
  const rows = (name: string) => {
    const mask = maskOf(name, { height: 4, width: 8 });
    return [0, 1, 2, 3].map((y) => mask.slice(y * 8, y * 8 + 8).join(""));
  };
  assertEquals(maskNames, ["quarter", "half", "center"]);
  assertEquals(rows("quarter"), ["11111111", "11111111", "11110000", "11110000"]);
  assertEquals(rows("half"), ["11111111", "11111111", "00000000", "00000000"]);
  assertEquals(rows("center"), ["11111111", "11000011", "11000011", "11111111"]);
});

Deno.test("withNoise: normal, of that deviation, the same for the same seed and image alone", () => {
  const size = { height: 50, width: 100 }, values = floats(1, 5000), how = { noise: 0.2, seed: 1, image: 7 };
  const noisy = withNoise(wasm, values, size, how), noise = noisy.map((value, p) => value - values[p]);
  assertEquals(withNoise(twin, values, size, how), noisy);
  assertNotEquals(withNoise(wasm, values, size, { ...how, seed: 2 }), noisy);
  assertNotEquals(withNoise(wasm, values, size, { ...how, image: 8 }), noisy);
  const mean = noise.reduce((sum, n) => sum + n, 0) / 5000, second = noise.reduce((sum, n) => sum + n * n, 0) / 5000;
  assertAlmostEquals(mean, 0, 4 * 0.2 / Math.sqrt(5000));
  assertAlmostEquals(second, 0.04, 4 * 0.04 * Math.sqrt(2 / 5000));
  const beyond = noise.filter((n) => Math.abs(n) > 0.4).length / 5000;
  assertAlmostEquals(beyond, 0.0455, 4 * Math.sqrt(0.0455 / 5000), "as often beyond two deviations as a normal number");
  assert(noisy.some((value) => value > 1) && noisy.some((value) => value < 0), "not cut off");
});

Deno.test("checkMask: a mask must hide some, but not all, of the images' own pixels", () => {
  const full = { height: 4, width: 4 }, inner = { height: 2, width: 2 };
  const mask = (missing: readonly number[]) => Float32Array.from({ length: 16 }, (_, p) => missing.includes(p) ? 0 : 1);
  checkMask(mask([5]), "dot", full, inner);
  checkMask(mask([0]), "corner", full, full);
  const wrong = (missing: readonly number[], hidden: number) => {
    assertThrows(
      () => checkMask(mask(missing), "m.png", full, inner),
      Error,
      `Cannot use the mask m.png: expected it to hide some of the images' 4 pixels, got ${hidden} hidden`,
    );
  };
  wrong([0, 3, 12], 0); // around the padded images
  wrong([5, 6, 9, 10], 4);
});

Deno.test("degradeImages: H, all pixels, or noise, beside the truth; degraded images are taken as they are", () => {
  const planned = plan(small, builtins), images = blobs(3), chosen = [{ index: 2, label: 7 }, { index: 0 }];
  const settings = { seed: 1, isDegraded: false, path: "blobs" };
  for (const [task, side] of [["superres", 4], ["inpaint", 16], ["denoise", 16]] as const) {
    const degradation = { task, noise: 0.1 },
      degraded = degradeImages(wasm, images, chosen, planned, degradation, settings);
    assertEquals(observedSize(planned, degradation), { height: side, width: side });
    assertEquals(degraded.map(({ index, label }) => [index, label]), [[2, 7], [0, undefined]]);
    assertEquals(degraded.map(({ observed }) => observed.length), [side * side, side * side]);
    assertEquals(degraded[0].truth, images.pixels.slice(2 * 256, 3 * 256));
    const own = { ...images, height: side, width: side, pixels: images.pixels.slice(0, 3 * side * side) };
    const [taken] = degradeImages(wasm, own, [{ index: 1 }], planned, degradation, { ...settings, isDegraded: true });
    assertEquals(
      taken.observed,
      Float32Array.from(own.pixels.slice(side * side, 2 * side * side), (grey) => grey / 255),
    );
    assertEquals(taken.truth, undefined);
  }
  const large = { count: 1, height: 17, width: 16, pixels: new Uint8Array(17 * 16) };
  const wrong = () => degradeImages(wasm, large, [{ index: 0 }], planned, { task: "inpaint" }, settings);
  assertThrows(wrong, Error, "Cannot restore blobs: expected grey images of up to 16x16, got 16x17");
});

Deno.test("checkImages: the size that an error recommends is one with which the images are restored", () => {
  const degraded = { count: 1, height: 16, width: 16, pixels: new Uint8Array(256) };
  for (const [task, side] of [["superres", 64], ["inpaint", 32]] as const) {
    const check = (size: number) => {
      const images = task === "superres" ? degraded : { ...degraded, height: 32, width: 32 };
      const planned = plan({ ...small, size, layers: small.layers }, builtins);
      checkImages(images, planned, { task, isDegraded: true, path: "own" });
    };
    assertThrows(() => check(16), Error, `; add --size ${side}x${side}`);
    check(side);
  }
});
