import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { morpher, parentOf, warped } from "../../../datasets/morphs/morph.ts";
import type { Shape } from "../../../core/shape.ts";
import { blobs, colouredBlobs } from "../../small_world.ts";
import { drawn, noise } from "./scenes.ts";

function morphOf(one: Uint8Array, other: Uint8Array, shape: Shape) {
  return morpher(shape)(parentOf(one, shape), parentOf(other, shape));
}

/** The standard deviation of an image. */
function contrast(pixels: Uint8Array): number {
  const mean = pixels.reduce((sum, value) => sum + value, 0) / pixels.length;
  return Math.sqrt(pixels.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pixels.length);
}

Deno.test("morph: of an image with itself it is that image, grey and in colour", () => {
  for (const images of [blobs(1, 28), { ...colouredBlobs(1) }]) {
    const { pixels, residual } = morphOf(images.pixels, images.pixels, images);
    assertEquals(pixels, images.pixels);
    assertEquals(residual, 0);
  }
});

Deno.test("morph: of an image and itself moved it is the image moved half as far", () => {
  for (const [down, across] of [[3, 0], [0, -4], [2, 2]]) {
    const { pixels } = morphOf(drawn(64, 64, 0, 0), drawn(64, 64, down, across), { height: 64, width: 64 });
    const expected = drawn(64, 64, down / 2, across / 2);
    let error = 0;
    for (let p = 0; p < pixels.length; p++) {
      const [y, x] = [p >> 6, p & 63];
      if (Math.min(y, x, 63 - y, 63 - x) >= 10) error = Math.max(error, Math.abs(pixels[p] - expected[p]));
    }
    // Their mean, without a flow, is 20 to 40 grey levels off.
    assert(error < 8, `${down} ${across}: ${error}`);
  }
});

Deno.test("morph: it does not matter which image is the first", () => {
  const shape = { height: 28, width: 28 }, { pixels } = blobs(2, 28);
  const [one, other] = [pixels.subarray(0, 784), pixels.subarray(784)];
  const there = morphOf(one, other, shape).pixels, back = morphOf(other, one, shape).pixels;
  there.forEach((value, p) => assert(Math.abs(value - back[p]) <= 1));
});

Deno.test("morph: a channel is warped as the others, by the flow of their mean", () => {
  const { pixels, height, width } = colouredBlobs(2), area = height * width, shape = { height, width, channels: 3 };
  const [one, other] = [pixels.subarray(0, 3 * area), pixels.subarray(3 * area)];
  const turned = (image: Uint8Array) => {
    return Uint8Array.from([...image.subarray(area), ...image.subarray(0, area)]);
  };
  assertEquals(morphOf(turned(one), turned(other), shape).pixels, turned(morphOf(one, other, shape).pixels));
  // A grey image is the same in three channels as in one.
  const grey = (image: Uint8Array) => image.subarray(0, area),
    thrice = (image: Uint8Array) => {
      return Uint8Array.from([...image, ...image, ...image]);
    };
  const inColour = morphOf(thrice(grey(one)), thrice(grey(other)), shape).pixels;
  assertEquals(inColour, thrice(morphOf(grey(one), grey(other), { height, width }).pixels));
});

Deno.test("morph: where the parents' detail differs, the average is amplified, but at most 1.5 times", () => {
  const shape = { height: 64, width: 64 };
  const [one, other] = [noise(4096, 1), noise(4096, 2)].map((image) => image.map((value) => 96 + value / 4));
  const { pixels, residual } = morphOf(one, other, shape);
  assert(residual > 0.6);
  const parents = (contrast(one) + contrast(other)) / 2;
  // Independent values lose sqrt(2) in an average, and interpolation takes some more.
  const gained = contrast(pixels) / parents;
  assert(gained > 0.7 && gained < 1.06, `${gained}`);
});

Deno.test("warped: follows straight lines and parabolas between pixels, and repeats the border beyond it", () => {
  const size = { height: 9, width: 9 }, area = 81;
  const plane = Float64Array.from({ length: area }, (_, p) => Math.floor(p / 9) ** 2 + 3 * (p % 9));
  const flow = { ...size, down: new Float64Array(area).fill(0.25), across: new Float64Array(area).fill(-0.5) };
  for (const sign of [1, -1]) {
    const moved = warped(plane, size, flow, sign);
    for (let y = 2; y < 7; y++) {
      for (let x = 2; x < 7; x++) {
        assertAlmostEquals(moved[9 * y + x], (y + sign * 0.25) ** 2 + 3 * (x - sign * 0.5), 1e-9);
      }
    }
  }
  const far = { ...size, down: new Float64Array(area).fill(-50), across: new Float64Array(area).fill(1e6) };
  assertEquals([...warped(plane, size, far, 1)], new Array(area).fill(24));
});
