import { assert, assertEquals } from "@std/assert";
import type { Images } from "../../../core/types.ts";
import { blend, blendKinds } from "../../../pipelines/worth/blends.ts";
import { wasm as kernels } from "../../kernels_under_test.ts";

/** Images of four pixels: class 1 is dark on the left, class 2 on the right. */
const images: Images = {
  count: 6,
  height: 1,
  width: 4,
  pixels: Uint8Array.of(
    10,
    20,
    200,
    210,
    14,
    30,
    210,
    220,
    18,
    10,
    190,
    230,
    250,
    240,
    9,
    9,
    240,
    250,
    5,
    3,
    230,
    245,
    1,
    8,
  ),
};
const real = { images, labels: Uint8Array.of(1, 1, 1, 2, 2, 2) };

Deno.test("blends: images of the class, other ones for other draws, the same for the same draw", () => {
  for (const kind of blendKinds) {
    const of = (draw: number, label = 1) => blend(kind, { kernels, real, seed: 1, draw }, label, 50);
    const made = of(0), { pixels } = made, mark = kernels.mark();
    assertEquals([made.count, pixels.length], [50, 200]);
    assertEquals(of(0).pixels, pixels);
    assertEquals(kernels.mark(), mark, kind);
    assert(of(1).pixels.some((value, p) => value !== pixels[p]), kind);
    for (let at = 0; at < 200; at += 4) {
      // Half of a mixture may come from the other class, but not more.
      assert(
        pixels[at] + pixels[at + 1] <= pixels[at + 2] + pixels[at + 3] + 60,
        `${kind} ${pixels.slice(at, at + 4)}`,
      );
    }
  }
});

Deno.test("blends: SMOTE stays between images of the class, and a Gaussian has their mean and variance", () => {
  const smote = blend("smote", { kernels, real, seed: 2, draw: 0 }, 2, 200).pixels;
  smote.forEach((value, n) => {
    const own = [3, 4, 5].map((i) => images.pixels[i * 4 + n % 4]);
    assert(value >= Math.min(...own) && value <= Math.max(...own));
  });
  const drawn = blend("gaussian", { kernels, real, seed: 2, draw: 0 }, 1, 2000).pixels.filter((_, n) => n % 4 === 1);
  const mean = drawn.reduce((sum, value) => sum + value, 0) / 2000;
  const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 2000;
  assert(Math.abs(mean - 20) < 1 && Math.abs(variance - 100) < 15, `${mean} ${variance}`);
});

Deno.test("blends: of one image of a class every way makes that image, or a mixture with it", () => {
  const one = { images: { ...images, count: 1, pixels: images.pixels.slice(0, 4) }, labels: Uint8Array.of(1) };
  for (const kind of blendKinds) {
    assertEquals([...blend(kind, { kernels, real: one, seed: 1, draw: 0 }, 1, 1).pixels], [10, 20, 200, 210], kind);
  }
});
