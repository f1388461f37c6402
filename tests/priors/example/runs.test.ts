import { assert, assertEquals } from "@std/assert";
import type { ScaledPixel } from "../../../priors/example/lr_pixels.ts";
import { pixelRuns, RUN, RUNS_FROM } from "../../../priors/example/runs.ts";

/** Pixels of one row. */
const row = (dy: number, dxs: readonly number[], scale: number, mirrored = false): ScaledPixel[] =>
  dxs.map((dx) => ({ dy, dx, weight: 1, scale, channel: 0, mirrored }));
const stretch = (length: number, first = 0) => Array.from({ length }, (_, i) => first + i);

Deno.test("pixelRuns: every pixel lies in one run, at its place; those with the largest scales come first", () => {
  const pixels = [...row(0, stretch(20, -3), 5), ...row(1, stretch(30), 64), ...row(1, stretch(16), 7, true)];
  assert(pixels.length >= RUNS_FROM);
  const runs = pixelRuns(pixels), all = runs.holding(pixels), held = all.flatMap(({ lanes }) => lanes.filter((p) => p));
  assertEquals([runs.count, all.length], [9, 9]);
  assertEquals(new Set(held), new Set(pixels));
  assertEquals(held.length, pixels.length);
  for (const { lanes } of all) {
    const [first] = lanes;
    assert(first && lanes.length === RUN);
    lanes.forEach((pixel, lane) => {
      if (pixel) assertEquals(pixel.dx, first.dx + (first.mirrored ? -lane : lane));
    });
  }
  const weights = all.map(({ lanes }) => lanes.reduce((sum, pixel) => sum + (pixel?.scale ?? 0) ** 2, 0));
  assertEquals(weights, weights.toSorted((a, b) => b - a));
  assertEquals(runs.holding([pixels[0], pixels[1]]).length, 1);
});

Deno.test("pixelRuns: a gap in a row begins another run where no place is left; few pixels make none", () => {
  const pixels = [...row(0, [0, 1, 7, 8, 40], 3), ...row(1, stretch(RUNS_FROM), 1)], runs = pixelRuns(pixels);
  assertEquals(runs.holding(pixels.slice(0, 5)).map(({ lanes }) => lanes.map((p) => p?.dx)).map((dxs) => dxs[0]), [
    0,
    8,
    40,
  ]);
  const few = row(0, stretch(RUNS_FROM - 1), 1);
  assertEquals([pixelRuns(few).count, pixelRuns(few).holding(few)], [0, []]);
});
