import { assertEquals } from "@std/assert";
import { tinted } from "../../../../hosts/web/views/pixel_sources.ts";

Deno.test("tinted: a pixel gets the colour of the training image that most of it came from", () => {
  const shape = { height: 2, width: 2, channels: 1 }, at = { layer: 0, iteration: 0, y: 0, x: 0 };
  const places = [{ y: 0, x: 0 }],
    found = {
      at,
      shape,
      training: shape,
      patch: 2,
      places,
      sources: Int32Array.of(4, 0, 0),
      draws: [],
      low: new Uint8Array(),
      examples: new Map(),
    };
  const pixels = Uint8Array.of(0, 100, 200, 50);
  assertEquals(tinted(found, pixels, new Map()), Uint8Array.of(...pixels, ...pixels, ...pixels));
  const reddened = tinted(found, pixels, new Map([[4, "#ff0000"]]));
  assertEquals([...reddened.subarray(0, 4)], [158, 196, 234, 177]);
  assertEquals([...reddened.subarray(4, 8)], [0, 38, 76, 19]);
});
