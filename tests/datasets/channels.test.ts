import { assertEquals } from "@std/assert";
import { withChannels } from "../../datasets/channels.ts";

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
