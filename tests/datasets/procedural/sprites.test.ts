import { assert, assertEquals } from "@std/assert";
import { proceduralSprites } from "../../../datasets/procedural/sprites.ts";

const KEY = [255, 0, 255] as const, AREA = 24 * 24;
const colourAt = (pixels: Uint8Array, i: number, p: number) => [0, 1, 2].map((c) => pixels[(3 * i + c) * AREA + p]);

Deno.test("proceduralSprites: all different, of six colours at most, with a transparent ground at the border", () => {
  const { count, pixels } = proceduralSprites("train", 60, KEY), seen = new Set<string>();
  for (let i = 0; i < count; i++) {
    const colours = Array.from({ length: AREA }, (_, p) => colourAt(pixels, i, p).join());
    seen.add(colours.join(" "));
    assert(new Set(colours).size >= 4 && new Set(colours).size <= 6, `${new Set(colours).size} colours`);
    const clear = colours.filter((colour) => colour === KEY.join()).length;
    assert(clear > 0.2 * AREA && clear < 0.85 * AREA, `${clear} transparent pixels`);
    // The outline is whole: nothing but it touches the ground.
    colours.forEach((colour, p) => {
      if (colour !== KEY.join()) return;
      for (const step of [1, -1, 24, -24]) {
        const near = colours[p + step],
          wraps = Math.abs(step) === 1 && Math.floor((p + step) / 24) !== Math.floor(p / 24);
        if (near !== undefined && !wraps) assert([KEY.join(), "36,28,44"].includes(near), `${i}: ${near} at ${p}`);
      }
    });
  }
  assertEquals(seen.size, 60);
});

Deno.test("proceduralSprites: the same every time, the first ones of more; test sprites are others; the background as asked", () => {
  const first = proceduralSprites("train", 3, KEY);
  assertEquals(proceduralSprites("train", 5, KEY).pixels.slice(0, first.pixels.length), first.pixels);
  const test = proceduralSprites("test", 3, KEY);
  assert(test.pixels.some((value, p) => value !== first.pixels[p]));
  assertEquals(colourAt(proceduralSprites("train", 1, [1, 2, 3]).pixels, 0, 0), [1, 2, 3]);
});
