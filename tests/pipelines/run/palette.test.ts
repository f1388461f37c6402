/** The nearest colours of training images: those that a plain search finds, also where several are as near. */
import { assert, assertEquals } from "@std/assert";
import { stream } from "../../../core/random.ts";
import { finish, PROGRESS } from "../../../core/steps.ts";
import type { Rows } from "../../../core/types.ts";
import { paletteOf } from "../../../pipelines/run/palette.ts";
import { wasm } from "../../kernels_under_test.ts";

const random = stream(3), below = (n: number) => Math.floor(random.next() * n);

/** Training images of 40 x 50 whose values are multiples of `unit`. */
function imagesOf(count: number, channels: 1 | 3, unit: number): Rows & { readonly bytes: Uint8Array } {
  const length = 40 * 50 * channels, at = wasm.allocate(count * length);
  const bytes = Uint8Array.from({ length: count * length }, () => unit * below(256 / unit));
  wasm.u8(at, bytes.length).set(bytes);
  return { count, height: 40, width: 50, channels, at, bytes };
}

/** The first of the nearest colours by a search of all pixels. */
function firstNearest({ count, channels, bytes }: ReturnType<typeof imagesOf>, own: readonly number[]): number {
  let best = -1, least = Infinity;
  for (let i = 0; i < count * 2000; i++) {
    const image = Math.floor(i / 2000), pixel = own.map((_, c) => bytes[(image * channels + c) * 2000 + i % 2000]);
    const distance = pixel.reduce((sum, value, c) => sum + (value - own[c]) ** 2, 0);
    if (distance < least) [best, least] = [pixel.reduce((all, value) => all * 256 + value, 0), distance];
  }
  return best;
}

Deno.test("paletteOf: finds the first of the nearest colours, of few colours and of many, and counts its work", () => {
  for (const [channels, unit, tried] of [[3, 1, 60], [3, 16, 60], [3, 64, 60], [1, 1, 20], [1, 32, 60]] as const) {
    const images = imagesOf(2, channels, unit), palette = finish(paletteOf(wasm, images));
    for (let n = 0; n < tried; n++) {
      const own = Array.from({ length: channels }, () => below(256)), before = wasm.workDone();
      assertEquals(palette.nearest(own, wasm), firstNearest(images, own), `${own} of ${channels} channels`);
      assert(wasm.workDone() > before);
    }
  }
});

Deno.test("paletteOf: pauses at each image, and lists the colours of the same images once", () => {
  const images = imagesOf(5, 3, 1), events = [...paletteOf(wasm, images)];
  assertEquals(events, Array(5).fill(PROGRESS));
  assertEquals([...paletteOf(wasm, images)], []);
});
