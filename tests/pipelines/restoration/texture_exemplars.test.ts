import { assert, assertEquals, assertThrows } from "@std/assert";
import { exemplarsAround } from "../../../pipelines/restoration/texture_exemplars.ts";

const WIDTH = 60, HEIGHT = 52;
/** Two images in which no square is like another. */
const images = {
  count: 2,
  height: HEIGHT,
  width: WIDTH,
  pixels: Uint8Array.from({ length: 2 * WIDTH * HEIGHT }, (_, p) => (p * 2654435761 >>> 7) % 251),
};
const isMissing = (y: number, x: number) => y >= 20 && y < 30 && x >= 24 && x < 40;
const known = Float32Array.from({ length: WIDTH * HEIGHT }, (_, p) => {
  return isMissing(Math.floor(p / WIDTH), p % WIDTH) ? 0 : 1;
});

Deno.test("exemplarsAround: squares without missing pixels, of each image alike, that hold all there is to copy", () => {
  const { images: { count, height, width, pixels }, labels } = exemplarsAround(images, known, 12);
  assertEquals(height, width);
  assert(height >= 12 && height <= 24, `${height}`);
  assertEquals([...labels!], [...Array(count / 2).fill(0), ...Array(count / 2).fill(1)]);
  const seen = new Set<number>();
  for (let i = 0; i < count / 2; i++) {
    const square = pixels.subarray(i * height * width, (i + 1) * height * width);
    const places = Array.from({ length: (HEIGHT - height + 1) * (WIDTH - width + 1) }, (_, p) => {
      return [Math.floor(p / (WIDTH - width + 1)), p % (WIDTH - width + 1)];
    });
    const [y, x] = places.find(([top, left]) => {
      return square.every((value, p) => {
        return images.pixels[(top + Math.floor(p / width)) * WIDTH + left + p % width] === value;
      });
    })!;
    square.forEach((_, p) => {
      const at = [y + Math.floor(p / width), x + p % width] as const;
      assert(!isMissing(...at));
      seen.add(at[0] * WIDTH + at[1]);
    });
  }
  assert(seen.size > 0.7 * (WIDTH * HEIGHT - 160), `${seen.size} pixels are in a square`);
});

Deno.test("exemplarsAround: throws if no square is large enough", () => {
  const nothing = new Float32Array(WIDTH * HEIGHT).fill(0, 0);
  assertThrows(() => exemplarsAround(images, nothing, 12), Error, "expected a place of 12x12 without missing ones");
  assertThrows(() => exemplarsAround(images, known, 64), Error, "Cannot fill the missing pixels of 60x52");
});
