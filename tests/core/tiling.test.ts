import { finish } from "../../core/steps.ts";
import { assert, assertAlmostEquals, assertEquals, assertThrows } from "@std/assert";
import { fitModel } from "../../core/model.ts";
import { plan } from "../../core/plan.ts";
import { contributors, pixelSources, rebuild } from "../../core/provenance.ts";
import { pyramidSizes, trainingPyramid } from "../../core/pyramid.ts";
import { synthesize } from "../../core/synthesize.ts";
import { addMargin, fold, inPeriod, marginOf, repeatedPixels, withMargin, withoutMargin } from "../../core/tiling.ts";
import type { Observations } from "../../core/types.ts";
import { texture } from "../../datasets/profiles/mod.ts";
import { builtins } from "../../plugins/mod.ts";
import { floats, wasm } from "../kernels_under_test.ts";

const period = { height: 3, width: 4 }, modulo = (a: number, n: number) => (a % n + n) % n;

Deno.test("addMargin: each pixel is the period's at its place modulo the period; withoutMargin takes it away", () => {
  for (const tile of ["x", "y", "both"] as const) {
    for (const pixels of [2, 5]) {
      const margin = marginOf(tile, pixels), whole = withMargin(period, margin), planes = floats(1, 24);
      const out = addMargin(planes, period, margin);
      for (let plane = 0; plane < 2; plane++) {
        for (let y = 0; y < whole.height; y++) {
          for (let x = 0; x < whole.width; x++) {
            const from = (plane * 3 + modulo(y - margin.y, 3)) * 4 + modulo(x - margin.x, 4);
            assertEquals(out[(plane * whole.height + y) * whole.width + x], planes[from]);
          }
        }
      }
      assertEquals(withoutMargin(out, period, margin), planes);
      // Folding ones counts how often a pixel of the period is repeated.
      const ones = new Float32Array(whole.height * whole.width).fill(1), repeated = repeatedPixels(period, margin);
      fold(ones, repeated);
      assertEquals(withoutMargin(ones, period, margin).reduce((a, b) => a + b), repeated.length);
      assert(ones.every((value, p) => value === ones[repeated[p]]));
    }
  }
});

Deno.test("inPeriod: the patches that begin there cover what the patch in the margin covers, once each", () => {
  const margin = marginOf("both", 6), size = { height: 5, width: 9 }, patch = 4;
  for (let y = 6; y < 13; y++) {
    for (let x = 6; x < 17; x++) {
      const covered = new Map<string, number>();
      for (const at of inPeriod({ y, x }, patch, size, margin)) {
        for (let p = 0; p < patch * patch; p++) {
          const row = at.y + Math.floor(p / patch), column = at.x + p % patch;
          const inside = row >= 0 && row < size.height && column >= 0 && column < size.width;
          if (inside) covered.set(`${row} ${column}`, (covered.get(`${row} ${column}`) ?? 0) + 1);
        }
      }
      assertEquals([covered.size, Math.max(...covered.values())], [patch * patch, 1], `${y} ${x}`);
      assert(covered.has(`${modulo(y - 6, 5)} ${modulo(x - 6, 9)}`));
    }
  }
  assertEquals(inPeriod({ y: 1, x: 2 }, patch, size, marginOf(undefined, 6)), [{ y: 1, x: 2 }]);
});

/** Synthesizes a texture of 32x24 from an exemplar of noise, with a seed image of 8x6. */
function made(tile: "x" | "y" | "both" | undefined, lambda = 0, observed?: readonly Observations[]) {
  const mark = wasm.mark(), size = [32, 24] as const;
  const layers = texture.layers.map((layer) => ({ ...layer, lambda: layer.lambda.map(() => lambda) }));
  const planned = plan({ ...texture, quiltLayer: 2, size, channels: 1, layers, ...tile && { tile } }, builtins);
  const exemplar = { count: 1, height: 40, width: 40, pixels: Uint8Array.from(floats(5, 1600), (v) => 255 * v) };
  const training = finish(trainingPyramid(wasm, exemplar, pyramidSizes(exemplar, 2)));
  const model = finish(fitModel(wasm, planned, training, 2)), seedImages = floats(9, 2 * 48);
  const steps = synthesize(model, { seed: 1, images: [0, 1], seedImages, observed }), shapes: string[] = [];
  let next = steps.next();
  for (; !next.done; next = steps.next()) {
    if (next.value.type !== "iteration") continue;
    shapes.push(`${next.value.width}x${next.value.height}`);
    assertEquals(next.value.images.length, 2 * next.value.width * next.value.height);
  }
  model.dispose();
  wasm.release(mark);
  return { ...next.value, shapes, exemplar };
}

Deno.test("synthesize with tile: images of the period, every pixel traced to patches around it", () => {
  for (const tile of ["x", "y", "both", undefined] as const) {
    const { pixels, provenance: [first], shapes, exemplar } = made(tile);
    assertEquals([pixels.length, new Set(shapes)], [2 * 32 * 24, new Set(["16x12", "32x24"])]);
    assertAlmostEquals(contributors(first).reduce((sum, { share }) => sum + share, 0), 1, 1e-9);
    const rebuilt = rebuild(first, exemplar);
    for (let p = 0; p < 32 * 24; p++) {
      const parts = pixelSources(first, Math.floor(p / 32), p % 32);
      assertAlmostEquals(parts.reduce((sum, { weight }) => sum + weight, 0), 1, 1e-9, `${tile} ${p}`);
      assertAlmostEquals(255 * (rebuilt[p] + first.correction[p]), pixels[p], 1, `${tile} ${p}`);
    }
  }
});

Deno.test("synthesize with tile: the seed image rolled around gives the image rolled around, where nothing is drawn at random", () => {
  // With the likeliest patches and whole strides the torus has no first pixel.
  const rolled = (values: Float32Array, by: number) =>
    values.map((_, p) => values[Math.floor(p / 8) * 8 + (p + by) % 8]);
  const run = (seedImages: Float32Array) => {
    const mark = wasm.mark();
    const planned = plan(
      { ...texture, quiltLayer: 2, size: [32, 24], channels: 1, zStep: "map", tile: "both" } as typeof texture,
      builtins,
    );
    const exemplar = { count: 1, height: 40, width: 40, pixels: Uint8Array.from(floats(5, 1600), (v) => 255 * v) };
    const model = finish(
      finish(fitModel(wasm, planned, finish(trainingPyramid(wasm, exemplar, pyramidSizes(exemplar, 2))), 1)),
    );
    const steps = synthesize(model, { seed: 1, images: [0], seedImages });
    let next = steps.next();
    while (!next.done) next = steps.next();
    model.dispose();
    wasm.release(mark);
    return next.value.pixels;
  };
  const seed = floats(9, 48), whole = run(seed), moved = run(rolled(seed, 4)); // 4 of 8 pixels: 16 of 32
  const far = whole.filter((_, p) => Math.abs(whole[Math.floor(p / 32) * 32 + (p + 16) % 32] - moved[p]) > 2).length;
  assertEquals(far, 0);
});

Deno.test("synthesize with tile: lambda may be above 0; observed pixels are refused", () => {
  assertEquals(made("both", 0.1).pixels.length, 2 * 32 * 24);
  const observed = { values: new Float32Array(), weights: new Float32Array() };
  assertThrows(() => made("both", 0, [observed, observed]), RangeError, "Cannot observe pixels of images that tile");
});
