import { assertEquals } from "@std/assert";
import { darkText } from "../../datasets/dark.ts";

Deno.test("darkText: images whose values end below 64", () => {
  const text = (...values: number[]) => darkText({ pixels: Uint8Array.from(values) }, "the images");
  for (const greatest of [1, 16, 63]) {
    const said = `Warning: the images are nearly black: their greatest value is ${greatest} of 255. ` +
      "If that is their white, scale them; in NumPy: images / images.max()";
    assertEquals(text(0, greatest, 0), said);
  }
  assertEquals(text(0, 0), "Warning: the images are black: every value is 0");
  for (const greatest of [64, 255]) assertEquals(text(0, greatest, 0), undefined);
  assertEquals(text(), undefined, "no images");
});
