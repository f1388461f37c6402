import { assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { pngOf } from "../../../../datasets/formats/write_png.ts";
import { pictureFile, stripSize } from "../../../../hosts/web/views/saved_picture.ts";

const grey = (side: number, ...pixels: number[]) => {
  return { shape: { height: side, width: side, channels: 1 }, pixels: Uint8Array.from(pixels) };
};

Deno.test("pictureFile: a picture alone has the bytes that synth writes", () => {
  const one = grey(2, 0, 50, 100, 255), shape = { height: 1, width: 2, channels: 3 };
  assertEquals(pictureFile([[one]], 1), pngOf(one.shape, one.pixels));
  const colour = { shape, pixels: Uint8Array.of(1, 2, 3, 4, 5, 6) };
  assertEquals(pictureFile([[colour]], 1), pngOf(shape, colour.pixels));
});

Deno.test("pictureFile: each pixel becomes a square, and nothing is blurred", () => {
  const { width, height, data } = decode(pictureFile([[grey(2, 0, 50, 100, 255)]], 3));
  const rows = [[0, 0, 0, 50, 50, 50], [100, 100, 100, 255, 255, 255]].flatMap((row) => [row, row, row]);
  assertEquals([width, height, [...data]], [6, 6, rows.flat()]);
});

Deno.test("pictureFile: smaller pictures get the size of the largest, side by side with white between them", () => {
  const rows = [[grey(1, 9), grey(2, 1, 2, 3, 4)], [grey(2, 5, 6, 7, 8)]];
  assertEquals(stripSize(rows), { height: 6, width: 6 });
  const { data, width } = decode(pictureFile(rows, 1)), white = 255;
  assertEquals(width, 6);
  assertEquals(
    [...data],
    [
      [9, 9, white, white, 1, 2],
      [9, 9, white, white, 3, 4],
      Array(6).fill(white),
      Array(6).fill(white),
      [5, 6, white, white, white, white],
      [7, 8, white, white, white, white],
    ].flat(),
  );
});

Deno.test("pictureFile: transparent pixels stay so, and so does what lies between pictures", () => {
  const transparent = { colour: [255, 0, 255] as const, common: [], mixed: false };
  const shape = { height: 1, width: 1, channels: 3, transparent };
  const [clear, red] = [[255, 0, 255], [200, 0, 0]].map((pixels) => ({ shape, pixels: Uint8Array.from(pixels) }));
  const { data, channels } = decode(pictureFile([[red, clear]], 1));
  assertEquals([channels, [...data]], [4, [200, 0, 0, 255, ...Array(12).fill(0)]]);
});
