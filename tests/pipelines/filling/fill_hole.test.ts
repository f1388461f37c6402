import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { finish } from "../../../core/steps.ts";
import { fillHole } from "../../../pipelines/filling/fill_hole.ts";
import type { PictureValues } from "../../../pipelines/filling/picture_samples.ts";

/** A picture of a rule, and a rectangle that is missing in it. */
function pictureOf(
  [width, height]: readonly [number, number],
  [left, top, right, bottom]: readonly [number, number, number, number],
  value: (x: number, y: number) => number,
): { picture: PictureValues; missing: Uint8Array } {
  const values = Float32Array.from({ length: width * height }, (_, p) => value(p % width, Math.floor(p / width)));
  const missing = Uint8Array.from(values, (_, p) => {
    const x = p % width, y = Math.floor(p / width);
    return x >= left && x < right && y >= top && y < bottom ? 1 : 0;
  });
  return { picture: { width, height, channels: 1, values }, missing };
}

/** Fills what is missing, and checks that each source is a known pixel, and known pixels their own. Returns the sources. */
function filled({ picture, missing }: ReturnType<typeof pictureOf>, number = 0): Int32Array {
  const around = picture.values.map((value, p) => missing[p] ? NaN : value);
  const sources = finish(fillHole({ ...picture, values: around }, missing, { seed: 1, number }));
  sources.forEach((source, p) => missing[p] ? assertEquals(missing[source], 0) : assertEquals(source, p));
  return sources;
}

/** Diagonal waves, which repeat themselves every 12 pixels along and every 8 down. */
const waves = (x: number, y: number) => ((x % 12) / 12 + (y % 8) / 8) / 2;

Deno.test("fillHole: what repeats itself goes on exactly, also at an edge of the picture", () => {
  for (const hole of [[30, 26, 54, 46], [0, 50, 16, 66]] as const) {
    const holed = pictureOf([84, 66], hole, waves), { picture: { values } } = holed;
    const sources = filled(holed);
    assertEquals(Array.from(sources, (source) => values[source]), [...values]);
  }
});

Deno.test("fillHole: a line goes on through the hole, and a scratch of a pixel closes", () => {
  const line = pictureOf([60, 50], [24, 15, 36, 35], (x, y) => y === 24 ? 1 : (x * 7 + y * 13) % 5 / 25);
  const sources = filled(line), { picture: { values } } = line;
  for (let x = 24; x < 36; x++) assert(values[sources[24 * 60 + x]] === 1, `the line is broken at column ${x}`);
  const scratch = pictureOf([60, 40], [10, 20, 50, 21], waves);
  assertEquals(Array.from(filled(scratch), (source) => scratch.picture.values[source]), [...scratch.picture.values]);
});

Deno.test("fillHole: a number fills alike again, another one otherwise", () => {
  const noisy = pictureOf([40, 40], [16, 16, 24, 24], (x, y) => (x * 7919 + y * 104729 + x * y * 31) % 97 / 97);
  const first = filled(noisy);
  assertEquals(filled(noisy), first);
  assertNotEquals(filled(noisy, 1), first);
});

Deno.test("fillHole: takes small pictures, and refuses those without anything to copy", () => {
  filled(pictureOf([20, 9], [10, 0, 13, 9], waves));
  filled(pictureOf([7, 30], [0, 10, 7, 13], waves));
  const refused = (size: readonly [number, number], hole: readonly [number, number, number, number]) => {
    assertThrows(
      () => filled(pictureOf(size, hole, waves)),
      Error,
      "expected a place of 7x7 pixels without missing ones",
    );
  };
  refused([6, 40], [0, 0, 2, 2]);
  refused([13, 13], [0, 6, 13, 7]);
  refused([30, 30], [0, 0, 30, 30]);
});
