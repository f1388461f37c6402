import { assertEquals, assertThrows } from "@std/assert";
import {
  borderColour,
  checkPadding,
  colourText,
  padded,
  paddedWithBorderColour,
  paddingColour,
} from "../../datasets/border.ts";

/** An image of 3x3: a border around one pixel. */
const framed = (
  border: number,
  inside: number,
) => [border, border, border, border, inside, border, border, border, border];
const images = (...each: number[][]) => ({
  count: each.length,
  height: 3,
  width: 3,
  pixels: Uint8Array.from(each.flat()),
});

Deno.test("borderColour: the median of the outermost pixels, in each channel; what is inside does not count", () => {
  assertEquals(borderColour(images(framed(250, 0), framed(250, 9), framed(3, 1))), [250]);
  assertEquals(borderColour({ ...images(framed(1, 0), framed(2, 0), framed(3, 0)), count: 1, channels: 3 }), [1, 2, 3]);
  assertEquals(borderColour({ count: 1, height: 1, width: 3, pixels: Uint8Array.of(5, 5, 5) }), [5]);
});

Deno.test("padded: the image in the middle, the colour around it", () => {
  const image = { count: 1, channels: 3, height: 1, width: 1, pixels: Uint8Array.of(1, 2, 3) };
  const { pixels } = padded(image, { height: 1, width: 3 }, [7, 8, 9]);
  assertEquals([...pixels], [7, 1, 7, 8, 2, 8, 9, 3, 9]);
});

Deno.test("checkPadding: memory in proportion to the images, and no more than kernels hold", () => {
  const of = (count: number, side: number) => ({ count, height: side, width: side, pixels: new Uint8Array() });
  const to = (side: number) => ({ height: side, width: side });
  for (const [images, size] of [[of(60000, 28), to(32)], [of(150000, 1), to(32)], [of(4e6, 8), to(16)]] as const) {
    checkPadding(images, size);
  }
  checkPadding(of(1e6, 128), to(128)); // nothing is padded: classes may fit one by one
  const cannot = (images: Parameters<typeof checkPadding>[0], side: number, sentence: string) => {
    assertThrows(() => checkPadding(images, to(side)), Error, sentence);
  };
  cannot(of(4e6, 1), 32, "Cannot pad 4000000 images of 1x1 pixels to 32x32: expected at most 268 MB, got 4096 MB");
  cannot(of(250, 28), 4096, "expected at most 268 MB, got 4194 MB");
  cannot(of(4e6, 16), 32, "expected at most 3221 MB, got 4096 MB");
});

Deno.test("paddingColour: none where images have the size, are larger, or have a black border", () => {
  const white = images(framed(255, 0)), size = { height: 4, width: 4 };
  assertEquals(paddingColour(white, size), [255]);
  assertEquals(paddingColour(white, { height: 3, width: 3 }), undefined);
  assertEquals(paddingColour(white, { height: 2, width: 4 }), undefined);
  assertEquals(paddingColour(images(framed(0, 255)), size), undefined);
  assertEquals(paddingColour({ ...white, count: 0 }, size), undefined);
  assertEquals(paddedWithBorderColour(images(framed(0, 255)), size).width, 3);
  assertEquals([...paddedWithBorderColour(white, size).pixels].filter((value) => value === 0).length, 1);
  // Images that are compared with padded ones are padded as these are, whatever their own border.
  assertEquals(paddedWithBorderColour(white, size, [7]).pixels.at(-1), 7);
  assertEquals(paddedWithBorderColour(white, white, [7]), white);
  assertEquals([[255], [7], [255, 136, 0], [0, 0, 0]].map(colourText), ["white", "grey 7", "#ff8800", "black"]);
});
