import { assertEquals } from "@std/assert";
import { toRgba } from "../../../../hosts/web/views/picture.ts";

Deno.test("toRgba: grey in all three channels, colours from their planes, opaque", () => {
  const size = { height: 1, width: 2 };
  assertEquals([...toRgba(size, Uint8Array.of(7, 9))], [7, 7, 7, 255, 9, 9, 9, 255]);
  const colours = toRgba({ ...size, channels: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6));
  assertEquals([...colours], [1, 3, 5, 255, 2, 4, 6, 255]);
});
