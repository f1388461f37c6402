import { assertEquals } from "@std/assert";
import { duplicatesOf } from "../../datasets/duplicates.ts";

Deno.test("duplicatesOf: each image that is the same as an earlier one, with the first of them", () => {
  const rows = [[1, 2], [3, 4], [1, 2], [2, 1], [1, 2], [3, 4]];
  const images = { count: rows.length, height: 1, width: 2, pixels: Uint8Array.from(rows.flat()) };
  assertEquals(duplicatesOf(images), [{ image: 2, first: 0 }, { image: 4, first: 0 }, { image: 5, first: 1 }]);
  assertEquals(duplicatesOf({ ...images, count: 0, pixels: new Uint8Array() }), []);
});

Deno.test("duplicatesOf: images of the same checksum that differ are two", () => {
  // CRC-32 is linear: the same bits flipped in two places by a multiple of the polynomial leave the sum as it is.
  const one = new Uint8Array(8), other = Uint8Array.of(0, 0, 0, 1, 0xc1, 0x21, 0x10, 0xed);
  const images = { count: 2, height: 1, width: 8, pixels: Uint8Array.from([...one, ...other]) };
  assertEquals(duplicatesOf(images), []);
});
