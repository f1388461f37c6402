import { assertEquals } from "@std/assert";
import { resized } from "../../datasets/resize.ts";

const line = (...pixels: number[]) => ({ count: 1, height: 1, width: pixels.length, pixels: Uint8Array.from(pixels) });
const toWidth = (width: number, ...pixels: number[]) => [...resized(line(...pixels), { height: 1, width }).pixels];

Deno.test("resized: bilinear where images grow, means where they shrink, the same where nothing changes", () => {
  assertEquals(toWidth(4, 0, 100), [0, 25, 75, 100]);
  assertEquals(toWidth(2, 0, 0, 80, 80), [11, 69]);
  // Weights of 2/3, 1 and 2/3: 90 x 3/7 = 38.6.
  assertEquals(toWidth(1, 0, 90, 0), [39]);
  assertEquals(toWidth(3, 7, 8, 9), [7, 8, 9]);
  for (const width of [1, 2, 3, 5, 7, 64]) assertEquals(new Set(toWidth(width, 9, 9, 9, 9, 9)), new Set([9]));
});

Deno.test("resized: every plane of every image alone, rows as columns", () => {
  const planes = Uint8Array.from([0, 100, 0, 100, 50, 50, 50, 50, 0, 0, 100, 100]);
  const { pixels } = resized({ count: 1, channels: 3, height: 2, width: 2, pixels: planes }, { height: 1, width: 2 });
  assertEquals([...pixels], [0, 100, 50, 50, 50, 50]);
});
