import { assert, assertEquals } from "@std/assert";
import { fillingSheet, shownPicture } from "../../../pipelines/filling/filling_sheet.ts";

Deno.test("shownPicture: three planes of 8 bits, white where it is transparent, the hole in one colour, large ones smaller", () => {
  const grey = { width: 2, height: 1, channels: 2, depth: 16, data: Uint16Array.of(65535, 0, 0, 65535) } as const;
  assertEquals(shownPicture(grey).pixels, Uint8Array.of(255, 0, 255, 0, 255, 0));
  assertEquals(shownPicture(grey, Uint8Array.of(0, 1)).pixels, Uint8Array.of(255, 255, 255, 0, 255, 200));
  const colour = { width: 1, height: 1, channels: 3, depth: 8, data: Uint8Array.of(1, 2, 3) } as const;
  assertEquals(shownPicture(colour).pixels, Uint8Array.of(1, 2, 3));
  const large = { width: 1000, height: 500, channels: 1, depth: 8, data: new Uint8Array(500_000).fill(7) } as const;
  const { width, height, pixels } = shownPicture(large);
  assertEquals([width, height, new Set(pixels)], [400, 200, new Set([7])]);
});

Deno.test("fillingSheet: the picture in green, its hole in grey, each filling in blue, in rows", () => {
  const side = 100, data = new Uint8Array(side * side);
  const picture = { width: side, height: side, channels: 1, depth: 8, data } as const;
  const few = fillingSheet(picture, data, [shownPicture(picture)]);
  const many = fillingSheet(picture, data, Array.from({ length: 24 }, () => shownPicture(picture)));
  assert(few.width > 3 * side && few.width < 4 * side && many.width <= 1294, `${few.width} ${many.width}`);
  assert(few.height < 2 * side && many.height > 2 * side, `${few.height} ${many.height}`);
  const frames = [0, 1, 2].map((i) => {
    const at = 3 * (15 * few.width + Math.round((i + 0.5) * (few.width - 14) / 3) - 1);
    return [...few.data.slice(at, at + 3)];
  });
  assertEquals(frames, [[36, 160, 72], [200, 200, 200], [40, 90, 220]]);
});
