import { assert, assertEquals } from "@std/assert";
import { plan } from "../../../../core/plan.ts";
import { trainingPyramid } from "../../../../core/pyramid.ts";
import { stream } from "../../../../core/random.ts";
import { finish } from "../../../../core/steps.ts";
import type { Images } from "../../../../core/types.ts";
import { runHere } from "../../../../pipelines/run/run_task.ts";
import type { GroupImage, TracedImage } from "../../../../pipelines/run/synthesized_image.ts";
import { addTone, tonesOf, workingColours } from "../../../../pipelines/run/noise/white_balance.ts";
import { dependsOnAll } from "../../../../pipelines/synthesis/dependencies.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { wasm } from "../../../kernels_under_test.ts";
import { blobs, small } from "../../../small_world.ts";

const SHAPE = { height: 16, width: 16, channels: 3 }, AREA = 256, LENGTH = 768;
const WHOLE = { name: "whole", x: 0, y: 0, width: 1, height: 1 };
const BALANCED = { saturation: 1, whiteBalance: true };

/** Some images of one thing, each in the light of another lamp: all pixels of an image have its tone. */
function lit(count: number): { images: Images; tones: number[][] } {
  const random = stream(5), grey = blobs(count).pixels, pixels = new Uint8Array(count * LENGTH);
  const tones = Array.from({ length: count }, () => {
    const red = 0.3 * random.next() - 0.15, green = 0.1 * random.next() - 0.05;
    return [red, green, -red - green];
  });
  tones.forEach((tone, n) => {
    const image = pixels.subarray(n * LENGTH, (n + 1) * LENGTH);
    for (let i = 0; i < LENGTH; i++) image[i] = 60 + grey[n * AREA + i % AREA] / 2;
    addTone(image, SHAPE, tone, 1);
  });
  return { images: { ...SHAPE, count, pixels }, tones };
}

/** How far the tones of pixels are from a tone, at most. */
function farthest(image: Uint8Array, tone: readonly number[]): number {
  return Math.max(...Array.from({ length: AREA }, (_, p) => {
    const pixel = tone.map((_, c) => image[p + c * AREA]), light = pixel.reduce((sum, value) => sum + value, 0) / 3;
    return Math.max(...pixel.map((value, c) => Math.abs((value - light) / light - tone[c])));
  }));
}

Deno.test("addTone: a part of light for each channel; black and light stay, and it is taken back", () => {
  const pixel = Uint8Array.of(100, 110, 90),
    black = Uint8Array.of(0, 0, 0),
    shape = { height: 1, width: 1, channels: 3 };
  addTone(pixel, shape, [0.2, -0.05, -0.15], 1);
  assertEquals([...pixel], [120, 105, 75]);
  addTone(pixel, shape, [0.2, -0.05, -0.15], -1);
  assertEquals([...pixel], [100, 110, 90]);
  addTone(black, shape, [0.2, -0.05, -0.15], 1);
  assertEquals([...black], [0, 0, 0]);
});

Deno.test("workingColours: training images get their mean tone, and each finished one that of the nearest", () => {
  const { images: { pixels }, tones } = lit(6), mark = wasm.mark(), at = wasm.allocate(pixels.length);
  wasm.u8(at, pixels.length).set(pixels);
  const rows = { ...SHAPE, count: 6, at },
    mean = tones[0].map((_, c) => tones.reduce((sum, tone) => sum + tone[c] / 6, 0));
  tonesOf(wasm, rows, WHOLE).forEach((tone, n) => {
    assert(tone.every((part, c) => Math.abs(part - tones[n][c]) < 0.01), `image ${n}: ${tone}`);
  });
  for (const saturation of [1, 2]) {
    const colours = workingColours(wasm, rows, { saturation, whiteBalance: true });
    assert(colours.areBalanced);
    assertEquals(wasm.u8(at, pixels.length), pixels, "training images stay as they are");
    if (saturation === 1) {
      for (const tone of tonesOf(wasm, colours.rows, WHOLE)) {
        assert(tone.every((part, c) => Math.abs(part - mean[c]) < 0.01), `${tone} in place of ${mean}`);
      }
    }
    const back = wasm.u8(colours.rows.at, pixels.length).slice();
    colours.restore(back);
    assert(back.every((value, i) => Math.abs(value - pixels[i]) <= saturation + 1), "of a training image, that image");
  }
  const grey = { ...rows, channels: 1, count: 18 };
  assertEquals(workingColours(wasm, grey, BALANCED).rows, grey);
  assertEquals(workingColours(wasm, rows, { ...BALANCED, whiteBalance: false }).rows, rows);
  wasm.release(mark);
});

Deno.test("noise.whiteBalance: each image has one tone, and depends on all training images", () => {
  const { images, tones } = lit(24);
  const planned = (whiteBalance: boolean, channels: 1 | 3 = 3) => {
    const noise = { layer: 0, steps: 6, windows: [9, 7, 5, 3, 3, 3], minOriginality: 0, maxStructure: 1, whiteBalance };
    return plan({ ...small, channels, from: "noise", noise }, builtins);
  };
  const make = (whiteBalance: boolean) => {
    const of = planned(whiteBalance), mark = wasm.mark();
    const training = finish(trainingPyramid(wasm, images, of.sizes)), made: (GroupImage & TracedImage)[] = [];
    const groups = [{ training, numbers: [0, 1, 2, 3] }];
    for (const event of runHere(wasm, { plan: of, seed: 1, batch: 4, traced: "dependencies", groups })) {
      if (event.type === "image") made.push(event.image);
    }
    wasm.release(mark);
    return made;
  };
  const distance = ({ pixels }: GroupImage) => Math.min(...tones.map((tone) => farthest(pixels, tone)));
  const balanced = make(true);
  for (const image of balanced) {
    assert(distance(image) < 0.03, `a pixel's tone is ${distance(image)} from that of the image`);
    const all = Array.from(image.lineage!.dependsOn, (bits) => bits.toString(2).replaceAll("0", "").length);
    assertEquals(all.reduce((sum, bits) => sum + bits, 0), 24);
  }
  const used = balanced.map(({ pixels }) => tones.findIndex((tone) => farthest(pixels, tone) < 0.03));
  assert(new Set(used).size > 1, "images have tones of their own");
  const why = [planned(true), planned(false), planned(true, 1)].map((of) => {
    return dependsOnAll({ plan: of, seedSource: "noise" }, { height: 16, width: 16 }, 24);
  });
  assertEquals(why, ["training images get their mean tone (noise.whiteBalance)", undefined, undefined]);
  assert(make(false).some((image) => distance(image) > 0.05), "windows find training images of several tones");
});
