import { assert, assertEquals } from "@std/assert";
import { alignEyes } from "../../../datasets/faces/align_eyes.ts";
import { noise } from "../../hosts/deno/data/mirror.ts";
import { pixelsOf } from "../../hosts/deno/data/photographs.ts";

Deno.test("alignEyes: an aligned photograph stays as it is, byte for byte", () => {
  const pixels = noise(128 * 128, 7), photograph = { width: 128, height: 128, pixels };
  assertEquals(alignEyes(photograph, { x: 44, y: 52 }, { x: 84, y: 52 }), pixels);
});

Deno.test("alignEyes: moved, turned and enlarged, the border repeated", () => {
  const photograph = { width: 100, height: 90, pixels: pixelsOf(100, 90, (x, y) => x + y) };
  const at = (pixels: Uint8Array, x: number, y: number) => pixels[y * 128 + x];
  const enlarged = alignEyes(photograph, { x: 30, y: 40 }, { x: 50, y: 40 });
  assertEquals([at(enlarged, 44, 52), at(enlarged, 84, 52), at(enlarged, 64, 62)], [70, 90, 85]);
  assertEquals(at(enlarged, 0, 0), 30 - 22 + 40 - 26);
  const turned = alignEyes(photograph, { x: 40, y: 20 }, { x: 40, y: 60 }); // right in the result was down in it
  assertEquals([at(turned, 44, 52), at(turned, 84, 52), at(turned, 44, 62)], [60, 100, 50]);
  assertEquals(at(turned, 20, 120), 0, "beyond the top left corner is its pixel");
});

Deno.test("alignEyes: making smaller averages, so that fine stripes turn grey and not into coarse ones", () => {
  const stripes = { width: 1400, height: 1400, pixels: pixelsOf(1400, 1400, (x) => x % 2 * 200) };
  const greyWithin = (pixels: Uint8Array, tolerance: number) =>
    assert(pixels.every((grey) => Math.abs(grey - 100) <= tolerance), `${Math.min(...pixels)}..${Math.max(...pixels)}`);
  greyWithin(alignEyes(stripes, { x: 500, y: 600 }, { x: 900, y: 600 }), 10);
  greyWithin(alignEyes(stripes, { x: 500, y: 600 }, { x: 593, y: 607 }), 40);
});

Deno.test("alignEyes: each channel of a colour photograph as if it were grey", () => {
  const planes = [1, 2, 3].map((seed) => noise(70 * 60, seed)), eyes = [{ x: 20, y: 25 }, { x: 45, y: 30 }] as const;
  const grey = planes.map((pixels) => alignEyes({ width: 70, height: 60, pixels }, ...eyes));
  const pixels = Uint8Array.from(planes.flatMap((plane) => [...plane]));
  const colour = alignEyes({ width: 70, height: 60, channels: 3, pixels }, ...eyes);
  assertEquals(colour, Uint8Array.from(grey.flatMap((plane) => [...plane])));
});
