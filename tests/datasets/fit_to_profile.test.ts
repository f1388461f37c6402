import { assertEquals, assertThrows } from "@std/assert";
import type { Images } from "../../core/types.ts";
import { fitToProfile } from "../../datasets/fit_to_profile.ts";

/** One image of one level. */
function flat(width: number, height: number, level: number, channels?: 1 | 3): Images {
  const pixels = new Uint8Array(width * height * (channels ?? 1)).fill(level);
  return { count: 1, height, width, ...channels && { channels }, pixels };
}

function fitted(images: Images, wanted: Parameters<typeof fitToProfile>[1]) {
  const { train, test, notes } = fitToProfile({ train: { images }, test: { images } }, wanted);
  assertEquals(train, test);
  const { height, width, channels = 1, pixels } = train.images;
  return { shape: [width, height, channels], levels: [...new Set(pixels)].sort((a, b) => a - b), notes };
}

Deno.test("fitToProfile: images that fit stay as they are", () => {
  const images = flat(4, 6, 9);
  for (const wanted of [{}, { channels: 1 }, { size: { height: 6, width: 4 } }] as const) {
    const { train, notes } = fitToProfile({ train: { images }, test: { images } }, wanted);
    assertEquals([train.images === images, notes], [true, []]);
  }
});

Deno.test("fitToProfile: larger images are scaled, of other proportions their middle; others are refused", () => {
  const size = { height: 4, width: 8 };
  assertEquals(fitted(flat(16, 8, 7), { size }), {
    shape: [8, 4, 1],
    levels: [7],
    notes: ["scaled from 16x8 to 8x4 pixels"],
  });
  // Columns of 0, 0, 0, 9, ... 9, 0, 0, 0: those of 9 are the middle.
  const columns = Uint8Array.from({ length: 14 * 4 }, (_, p) => p % 14 >= 3 && p % 14 < 11 ? 9 : 0);
  assertEquals(fitted({ count: 1, height: 4, width: 14, pixels: columns }, { size }), {
    shape: [8, 4, 1],
    levels: [9],
    notes: ["their middle, scaled from 14x4 to 8x4 pixels"],
  });
  const refused =
    "expected images larger or smaller than that in both directions; data import FOLDER --size 8x4 brings";
  assertThrows(
    () => fitted(flat(6, 10, 7), { size }),
    Error,
    `Cannot use images of 6x10 pixels for images of 8x4: ${refused}`,
  );
  assertThrows(
    () => fitted(flat(16, 8, 7), { size, cut: true }),
    Error,
    "expected images of up to that size; data import",
  );
});

Deno.test("fitToProfile: smaller images are padded with a word: with their border, or with black where it would be seen", () => {
  const size = { height: 32, width: 32 }, hint = "; --size 16x16 makes images of their own size";
  assertEquals(fitted(flat(16, 16, 250), { size }), {
    shape: [32, 32, 1],
    levels: [250],
    notes: [`padded to 32x32 pixels with the colour of their border, grey 250${hint}`],
  });
  assertEquals(fitted(flat(28, 28, 250), { size }).notes, [
    "padded to 32x32 pixels with the colour of their border, grey 250",
  ]);
  assertEquals(fitted(flat(16, 16, 0), { size }), {
    shape: [16, 16, 1],
    levels: [0],
    notes: [`padded from 16x16 to 32x32 pixels with black${hint}`],
  });
  assertEquals(fitted(flat(28, 28, 0), { size }).notes, []);
});

Deno.test("fitToProfile: grey images in a colour profile have three equal channels, and are padded in them", () => {
  const fit = fitted(flat(28, 28, 250), { size: { height: 32, width: 32 }, channels: 3 });
  assertEquals(fit.shape, [32, 32, 3]);
  assertEquals(fit.levels, [250]);
  assertEquals(fit.notes, [
    "grey, as three equal channels",
    "padded to 32x32 pixels with the colour of their border, #fafafa",
  ]);
});
