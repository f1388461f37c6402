import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../../core/plan.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { stream } from "../../../../core/random.ts";
import { finish } from "../../../../core/steps.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import { saturate, saturatedRows } from "../../../../pipelines/run/noise/saturation.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { wasm } from "../../../kernels_under_test.ts";
import { small } from "../../../small_world.ts";

const SHAPE = { height: 16, width: 16, channels: 3 };

/** Images whose colours lie around grey, so that they can be twice as vivid. */
function colours(count: number): Uint8Array {
  const random = stream(3), pixels = new Uint8Array(count * 768);
  for (let i = 0; i < count; i++) {
    for (let p = 0; p < 256; p++) {
      const light = 90 + 70 * random.next();
      for (let c = 0; c < 3; c++) pixels[768 * i + 256 * c + p] = light + 20 * random.next();
    }
  }
  return pixels;
}

Deno.test("saturate: the mean of a pixel stays, colours go away from it, and back again", () => {
  const pixels = Uint8Array.of(120, 100, 90, 100, 60, 100);
  const shape = { height: 1, width: 2, channels: 3 };
  saturate(pixels, shape, 2);
  assertEquals([...pixels], [150, 100, 90, 100, 30, 100]);
  saturate(pixels, shape, 0.5);
  assertEquals([...pixels], [120, 100, 90, 100, 60, 100]);
  const vivid = Uint8Array.of(255, 0, 0);
  saturate(vivid, { height: 1, width: 1, channels: 3 }, 3);
  assertEquals([...vivid], [255, 0, 0], "as far as bytes go");
  const many = colours(4), changed = many.slice();
  saturate(changed, SHAPE, 2);
  saturate(changed, SHAPE, 0.5);
  assert(many.every((value, i) => Math.abs(value - changed[i]) <= 1));
});

Deno.test("saturate: no colour is cut off: light stays, and vivid colours come back, too", () => {
  const levels = [0, 1, 5, 30, 90, 128, 170, 230, 254, 255];
  const colours = levels.flatMap((r) => levels.flatMap((g) => levels.map((b) => [r, g, b])));
  const lightOf = ([r, g, b]: Iterable<number>) => (r + g + b) / 3;
  for (const factor of [1.5, 2, 4]) {
    for (const colour of colours) {
      const pixel = Uint8Array.from(colour), at = `${colour} by ${factor}`;
      saturate(pixel, { height: 1, width: 1, channels: 3 }, factor);
      const light = lightOf(colour), stretched = pixel.map((_, c) => Math.round(light + factor * (colour[c] - light)));
      assert(Math.abs(lightOf(pixel) - light) <= 0.5, `${at}: the light of ${pixel}`);
      const isInside = colour.every((value) => {
        const room = value > light ? 255 - light : light;
        return Math.abs(value - light) * (factor + 1) <= room;
      });
      if (isInside) assert(pixel.every((value, c) => Math.abs(value - stretched[c]) <= 1), `${at}: ${pixel}`);
      saturate(pixel, { height: 1, width: 1, channels: 3 }, 1 / factor);
      // A rounding by half a level counts `factor` times near the most vivid colour.
      assert(pixel.every((value, c) => Math.abs(value - colour[c]) <= factor), `${at}: ${pixel}`);
    }
  }
});

Deno.test("saturatedRows: a copy, or the same rows where nothing changes", () => {
  const mark = wasm.mark(), at = wasm.allocate(768), pixels = colours(1);
  wasm.u8(at, 768).set(pixels);
  const rows = { ...SHAPE, count: 1, at };
  const vivid = saturatedRows(wasm, rows, 2);
  assertEquals(wasm.u8(at, 768).slice(), pixels);
  saturate(pixels, SHAPE, 2);
  assertEquals(wasm.u8(vivid.at, 768).slice(), pixels);
  assertEquals(saturatedRows(wasm, rows, 1), rows);
  const grey = { ...rows, channels: 1 };
  assertEquals(saturatedRows(wasm, grey, 2), grey);
  wasm.release(mark);
});

Deno.test("noise.saturation: what is made has the colours of the training images", () => {
  const noise = {
    layer: 0,
    steps: 6,
    windows: [15, 13, 9, 7, 5, 3],
    minOriginality: 0,
    maxStructure: 1,
    saturation: 2,
  };
  const of = plan({ ...small, channels: 3, from: "noise", noise }, builtins), mark = wasm.mark();
  const pixels = colours(1), images = { ...SHAPE, count: 1, pixels };
  const training = finish(trainingPyramid(wasm, images, of.sizes));
  for (const event of runHere(wasm, { plan: of, seed: 1, batch: 2, groups: [{ training, numbers: [0, 1] }] })) {
    if (event.type !== "image") continue;
    assert(event.image.pixels.every((value, i) => Math.abs(value - pixels[i]) <= 1), "of one image, that image");
  }
  wasm.release(mark);
});
