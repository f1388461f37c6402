import { assertEquals } from "@std/assert";
import { poster } from "../../../pipelines/synthesis/poster.ts";

/** An image of two pixels in three channels: the first has the colour, the second is the key. */
const KEY = [255, 0, 255] as const;
const sprite = (red: number) => Uint8Array.of(red, KEY[0], 1, KEY[1], 2, KEY[2]);
const SIZE = { height: 1, width: 2 };

Deno.test("poster: an atlas has the pixels of its images one after another, and the key where there is none", () => {
  const { pixels, height, width, channels } = poster([10, 20, 30].map(sprite), SIZE, "atlas", KEY);
  assertEquals([width, height, channels], [4, 2, 3], "two columns: three images are about as wide as high");
  assertEquals([...pixels.subarray(0, 8)], [10, 255, 20, 255, 30, 255, 255, 255]);
  assertEquals([...pixels.subarray(8, 16)], [1, 0, 1, 0, 1, 0, 0, 0]);
});

Deno.test("poster: images are enlarged by whole numbers, on white, with gaps around them", () => {
  const { pixels, height, width } = poster([sprite(10)], SIZE, "new", KEY);
  assertEquals([width, height], [192 + 16, 96 + 16]);
  const red = (x: number, y: number) => pixels[y * width + x],
    green = (x: number, y: number) => {
      return pixels[height * width + y * width + x];
    };
  assertEquals([red(7, 50), red(8, 8), red(103, 103), red(104, 50), red(50, 104)], [255, 10, 10, 255, 255]);
  assertEquals([green(50, 50), green(150, 50)], [1, 255], "the key becomes paper");
});

Deno.test("poster: many images become smaller, then fewer; one image is shown whatever its size", () => {
  const grey = (side: number) => new Uint8Array(side * side).fill(7),
    square = (side: number) => ({ height: side, width: side });
  const many = (count: number, side: number) => Array.from({ length: count }, () => grey(side));
  const sizeOf = (count: number, side: number, kind: "new" | "atlas") => {
    const { width, height } = poster(many(count, side), square(side), kind);
    return [width, height];
  };
  assertEquals(sizeOf(900, 16, "new"), [30 * 136 + 8, 30 * 136 + 8], "8 times enlarged, not 12 times");
  assertEquals(sizeOf(1100, 128, "atlas"), [4096, 4096], "32 rows of 32");
  assertEquals(sizeOf(1, 4100, "new"), [4116, 4116]);
});
