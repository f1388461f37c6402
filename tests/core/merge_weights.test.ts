import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { mergeWeights } from "../../core/merge_weights.ts";

Deno.test("mergeWeights: exactly 1 for feather 0, whatever the patch", () => {
  for (const patch of [2, 4, 6, 12, 16, 50]) {
    assertEquals(mergeWeights(patch, 0), new Float32Array(patch * patch).fill(1));
  }
});

Deno.test("mergeWeights: products of powers of a sine with mean 1, the same from all four sides", () => {
  for (const patch of [2, 4, 7, 12, 64]) {
    for (const feather of [1, 2, 3, 8]) {
      const weights = mergeWeights(patch, feather),
        sine = (t: number) => Math.sin(Math.PI * (t + 0.5) / patch) ** feather;
      const line = Array.from({ length: patch }, (_, t) => sine(t)), sum = line.reduce((a, b) => a + b, 0);
      weights.forEach((weight, p) => {
        const y = Math.floor(p / patch), x = p % patch, wanted = sine(y) * sine(x) * (patch / sum) ** 2;
        assertAlmostEquals(weight, wanted, 2e-7 * wanted);
        assert(weight > 0);
        for (const other of [x * patch + y, (patch - 1 - y) * patch + x, y * patch + patch - 1 - x]) {
          assertEquals(weights[other], weight);
        }
      });
      assertAlmostEquals(weights.reduce((a, b) => a + b, 0) / weights.length, 1, 1e-6);
    }
  }
});
