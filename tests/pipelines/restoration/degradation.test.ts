import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import { maskNames, maskOf, withNoise } from "../../../pipelines/restoration/degradation.ts";
import { floats, twin, wasm } from "../../kernels_under_test.ts";

Deno.test("maskOf: the lower right quarter, the lower half, the middle", () => {
  const rows = (name: string) => {
    const mask = maskOf(name, { height: 4, width: 8 });
    return [0, 1, 2, 3].map((y) => mask.slice(y * 8, y * 8 + 8).join(""));
  };
  assertEquals(maskNames, ["quarter", "half", "center"]);
  assertEquals(rows("quarter"), ["11111111", "11111111", "11110000", "11110000"]);
  assertEquals(rows("half"), ["11111111", "11111111", "00000000", "00000000"]);
  assertEquals(rows("center"), ["11111111", "11000011", "11000011", "11111111"]);
});

Deno.test("withNoise: normal, of that deviation, the same for the same seed and image alone", () => {
  const size = { height: 50, width: 100 }, values = floats(1, 5000), how = { noise: 0.2, seed: 1, image: 7 };
  const noisy = withNoise(wasm, values, size, how), noise = noisy.map((value, p) => value - values[p]);
  assertEquals(withNoise(twin, values, size, how), noisy);
  assertNotEquals(withNoise(wasm, values, size, { ...how, seed: 2 }), noisy);
  assertNotEquals(withNoise(wasm, values, size, { ...how, image: 8 }), noisy);
  const mean = noise.reduce((sum, n) => sum + n, 0) / 5000, second = noise.reduce((sum, n) => sum + n * n, 0) / 5000;
  assertAlmostEquals(mean, 0, 4 * 0.2 / Math.sqrt(5000));
  assertAlmostEquals(second, 0.04, 4 * 0.04 * Math.sqrt(2 / 5000));
  const beyond = noise.filter((n) => Math.abs(n) > 0.4).length / 5000;
  assertAlmostEquals(beyond, 0.0455, 4 * Math.sqrt(0.0455 / 5000), "as often beyond two deviations as a normal number");
  assert(noisy.some((value) => value > 1) && noisy.some((value) => value < 0), "not cut off");
});
