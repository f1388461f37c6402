import { assertEquals, assertThrows } from "@std/assert";
import { novelty } from "../../../plugins/metrics/novelty.ts";
import { assertClose, wasm } from "../../kernels_under_test.ts";
import { stream } from "../../../core/random.ts";
import { first, imagesOf, judge, setOf } from "./generators.ts";
import { testScores } from "./known_faults.ts";

/** Images of random grey. */
function random(seed: number, count: number, size: number) {
  const chance = stream(seed);
  return setOf(first(count).map(() => first(size * size).map(() => 256 * chance.next())));
}

Deno.test("novelty: every patch against all training patches of its place and window, in plain float64", () => {
  for (const count of [1, 9, 20]) {
    const generated = random(1, 5, 11), training = random(2, count, 11);
    for (const [patch, overlap, window] of [[4, 2, 1], [4, 2, 2], [3, 1, 2], [4, 1, 3], [4, 2, 0]]) {
      const last = 11 - patch, stride = patch - overlap, reach = Math.max(window - 1, 0);
      const places = first(Math.floor(last / stride) + 1).map((n) => n * stride);
      const cut = (image: Uint8Array, y: number, x: number) =>
        first(patch * patch).map((p) => image[(y + Math.floor(p / patch)) * 11 + x + p % patch] / 255);
      const around = (at: number) => first(2 * reach + 1, at - reach).filter((one) => one >= 0 && one <= last);
      const wanted = imagesOf(generated).map((image) => {
        const distances = places.flatMap((y) =>
          places.map((x) => {
            const own = cut(image, y, x);
            const others = imagesOf(training).flatMap((one) =>
              around(y).flatMap((row) => around(x).map((column) => cut(one, row, column)))
            );
            return Math.sqrt(
              Math.min(...others.map((other) => other.reduce((sum, v, p) => sum + (v - own[p]) ** 2, 0))) / own.length,
            );
          })
        );
        return distances.reduce((a, b) => a + b) / distances.length;
      });
      const { values, settings } = judge(novelty, { generated, training, patch, overlap, window });
      assertClose(values, wanted, 1e-9);
      assertEquals(settings, { window: `+-${reach}`, locations: places.length ** 2, training: count });
    }
  }
});

Deno.test("novelty: images put together from other images' patches are not new, though no image is a copy", () => {
  const training = random(3, 2, 8), [a, b] = imagesOf(training);
  const halves = setOf([a.map((value, p) => p % 8 < 4 ? value : b[p])]);
  assertEquals([...judge(novelty, { generated: halves, training, patch: 4, overlap: 0, window: 1 }).values], [0]);
});

Deno.test("novelty: gives its kernel memory back where it fails", () => {
  const some = random(4, 3, 8),
    search = () => {
      throw new Error("kernels out of order");
    };
  // `judge` asserts it.
  const failing = () => judge(novelty, { generated: some, training: some, patch: 4 }, {}, { ...wasm, search });
  assertThrows(failing, Error, "kernels out of order");
});

testScores("novelty", {
  copier: [0, 0],
  "noisy copier": [0.001, 0.05],
  repeater: [0, 0.1],
  noise: [0.2, 0.5],
  "real sample": [0.01, 0.1],
});
