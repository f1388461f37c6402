import { assertEquals } from "@std/assert";
import { isColourful, withChannels } from "../../datasets/channels.ts";

const grey = { count: 2, height: 1, width: 2, pixels: Uint8Array.of(1, 2, 3, 4) };

Deno.test("withChannels: greys become three equal channels, and those become the greys again", () => {
  const colour = withChannels(grey, 3);
  assertEquals(colour, { ...grey, channels: 3, pixels: Uint8Array.of(1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4) });
  assertEquals(withChannels(colour, 1), { ...grey, channels: 1 });
  assertEquals([withChannels(grey, 1), withChannels(colour, 3)], [grey, colour]);
});

Deno.test("withChannels: a colour becomes its brightness", () => {
  const primary = {
    count: 1,
    height: 1,
    width: 3,
    channels: 3,
    pixels: Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255),
  };
  assertEquals([...withChannels(primary, 1).pixels], [54, 182, 18]);
});

Deno.test("isColourful: of three channels that differ in one pixel at least", () => {
  const equal = withChannels(grey, 3), pixels = equal.pixels.slice();
  pixels[pixels.length - 1]++;
  assertEquals([grey, equal, { ...equal, pixels }].map(isColourful), [false, false, true]);
});
