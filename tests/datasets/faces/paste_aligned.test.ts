import { assert, assertEquals } from "@std/assert";
import { alignEyes, placeInAligned } from "../../../datasets/faces/align_eyes.ts";
import { pasteAligned } from "../../../datasets/faces/paste_aligned.ts";
import { pixelsOf } from "../../hosts/deno/data/photographs.ts";

const eyes = { left: { x: 60, y: 70 }, right: { x: 118, y: 82 } }, width = 220, height = 200;
const smooth = pixelsOf(width, height, (x, y) => 120 + 60 * Math.sin(x / 25) + 50 * Math.cos(y / 30));
const square = (left: number, top: number, side: number) => {
  return pixelsOf(width, height, (x, y) => Number(x >= left && x < left + side && y >= top && y < top + side));
};

Deno.test("placeInAligned: where alignEyes puts a point", () => {
  const dot = pixelsOf(width, height, (x, y) => Math.hypot(x - 100, y - 90) < 3 ? 255 : 0);
  const aligned = alignEyes({ width, height, pixels: dot }, eyes.left, eyes.right);
  let sum = 0, x = 0, y = 0;
  aligned.forEach((value, p) => {
    sum += value;
    x += value * (p % 128);
    y += value * Math.floor(p / 128);
  });
  const place = placeInAligned({ x: 100, y: 90 }, eyes);
  assert(Math.hypot(place.x - x / sum, place.y - y / sum) < 0.1, JSON.stringify(place));
  const left = placeInAligned(eyes.left, eyes, 64), right = placeInAligned(eyes.right, eyes, 64);
  for (const [got, expected] of [[left.x, 22], [left.y, 26], [right.x, 42], [right.y, 26]]) {
    assert(Math.abs(got - expected) < 1e-9);
  }
});

Deno.test("pasteAligned: what was aligned comes back at its place, in each channel; all else keeps its bytes", () => {
  const inverted = smooth.map((value) => 255 - value), missing = square(80, 80, 24), damaged = smooth.slice();
  missing.forEach((one, p) => damaged[p] = one ? 255 : damaged[p]);
  for (const side of [64, 128]) {
    const planes = [smooth, inverted, smooth].map((pixels) => {
      return [...alignEyes({ width, height, pixels }, eyes.left, eyes.right, side)];
    });
    const photograph = {
      width,
      height,
      channels: 3 as const,
      pixels: Uint8Array.from([damaged, inverted, damaged].flatMap((one) => [...one])),
    };
    const { picture, outside } = pasteAligned(photograph, { pixels: Uint8Array.from(planes.flat()), side }, {
      missing,
      eyes,
    });
    assertEquals([outside, picture.width, picture.channels], [0, width, 3]);
    const near = square(80 - 4, 80 - 4, 24 + 8), truth = [smooth, inverted, smooth];
    picture.pixels.forEach((value, i) => {
      const p = i % (width * height), expected = truth[Math.floor(i / (width * height))][p];
      if (near[p] === 0) assertEquals(value, photograph.pixels[i]);
      else {assert(
          Math.abs(value - expected) <= 3,
          `${side}: ${p % width}, ${Math.floor(p / width)}: ${value}, ${expected}`,
        );}
    });
  }
});

Deno.test("pasteAligned: missing pixels beside the face stay as they are, and are counted", () => {
  const photograph = { width, height, pixels: smooth }, face = { pixels: new Uint8Array(128 * 128), side: 128 };
  const { picture, outside } = pasteAligned(photograph, face, { missing: square(0, 190, 5), eyes });
  assertEquals([outside, picture.pixels], [25, smooth]);
});
