import { assertEquals } from "@std/assert";
import { toRgba } from "../../../../hosts/web/views/picture.ts";

Deno.test("toRgba: grey in all three channels, colours from their planes, opaque", () => {
  const size = { height: 1, width: 2 };
  assertEquals([...toRgba(size, Uint8Array.of(7, 9))], [7, 7, 7, 255, 9, 9, 9, 255]);
  const colours = toRgba({ ...size, channels: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6));
  assertEquals([...colours], [1, 3, 5, 255, 2, 4, 6, 255]);
});

Deno.test("toRgba: a colour stands for transparent pixels, exactly in finished pictures, the nearer the more in others", () => {
  const shape = { height: 1, width: 3, channels: 3 }, colour = [255, 0, 255] as const;
  const bytes = Uint8Array.of(255, 255, 255, 0, 0, 255, 255, 254, 255); // magenta, one level beside it, white
  const finished = toRgba({ ...shape, transparent: { colour, mixed: false } }, bytes);
  assertEquals([...finished], [0, 0, 0, 0, 255, 0, 254, 255, 255, 255, 255, 255]);
  const mixed = toRgba({ ...shape, transparent: { colour, mixed: true } }, bytes);
  assertEquals([mixed[3], mixed[7], mixed[11]], [0, 2, 255]);
});
