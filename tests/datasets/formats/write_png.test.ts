import { assertEquals } from "@std/assert";
import { decode } from "fast-png";
import { pngOf } from "../../../datasets/formats/write_png.ts";

Deno.test("pngOf: a grey image as it is, planes of colour pixel by pixel", () => {
  const grey = decode(pngOf({ height: 2, width: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6)));
  assertEquals([grey.width, grey.height, grey.channels, [...grey.data]], [3, 2, 1, [1, 2, 3, 4, 5, 6]]);
  const colour = decode(pngOf({ height: 2, width: 1, channels: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6)));
  assertEquals([colour.width, colour.height, colour.channels, [...colour.data]], [1, 2, 3, [1, 3, 5, 2, 4, 6]]);
});
