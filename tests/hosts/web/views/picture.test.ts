import { assert, assertEquals } from "@std/assert";
import { toRgba } from "../../../../hosts/web/views/picture.ts";

Deno.test("toRgba: grey in all three channels, colours from their planes, opaque", () => {
  const size = { height: 1, width: 2 };
  assertEquals([...toRgba(size, Uint8Array.of(7, 9))], [7, 7, 7, 255, 9, 9, 9, 255]);
  const colours = toRgba({ ...size, channels: 3 }, Uint8Array.of(1, 2, 3, 4, 5, 6));
  assertEquals([...colours], [1, 3, 5, 255, 2, 4, 6, 255]);
});

Deno.test("toRgba: a colour stands for transparent pixels, exactly in finished pictures, by its part in others", () => {
  const shape = { height: 1, width: 4, channels: 3 }, colour = [255, 0, 255] as const;
  const transparent = { colour, common: [[255, 255, 255], [20, 160, 60]] as const };
  const half = [137, 80, 157]; // the mean of green and magenta
  const pixels = [colour, [255, 0, 254], [255, 255, 255], half];
  const bytes = Uint8Array.from([0, 1, 2].flatMap((c) => pixels.map((pixel) => pixel[c])));
  const finished = toRgba({ ...shape, transparent: { ...transparent, mixed: false } }, bytes);
  assertEquals([...finished], [0, 0, 0, 0, 255, 0, 254, 255, 255, 255, 255, 255, ...half, 255]);
  const mixed = toRgba({ ...shape, transparent: { ...transparent, mixed: true } }, bytes);
  assertEquals([...mixed.subarray(0, 12)], [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255]);
  const [red, green, blue, opacity] = mixed.subarray(12);
  const near = [red - 20, green - 160, blue - 60, opacity - 127.5].every((one) => Math.abs(one) <= 4);
  assert(near, `green, half transparent: ${[red, green, blue, opacity]}`);
});
