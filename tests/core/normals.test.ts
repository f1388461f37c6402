import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { fillNormals } from "../../core/normals.ts";
import { stream } from "../../core/random.ts";
import { twin, wasm } from "../kernels_under_test.ts";

Deno.test("fillNormals: the moments of a normal distribution, none alike", () => {
  const count = 40_001, found = new Float64Array(count);
  fillNormals(wasm, stream(3).next, found, wasm.allocate(8));
  [0, 1, 0, 3].forEach((moment, i) => {
    const mean = found.reduce((sum, value) => sum + value ** (i + 1), 0) / count;
    // Four standard errors: the variances of the first four powers are 1, 2, 15 and 96.
    assertAlmostEquals(mean, moment, 4 * Math.sqrt([1, 2, 15, 96][i] / count));
  });
  const within = found.filter((value) => Math.abs(value) < 1).length / count;
  assertAlmostEquals(within, 0.6827, 0.01);
  assert(new Set(found).size > count - 2);
});

Deno.test("fillNormals: the same bits on the twin, any length a start of a longer one", () => {
  const [a, b, c] = [[wasm, 9], [twin, 9], [wasm, 4]].map(([kernels, length]) => {
    const out = new Float64Array(length as number), k = kernels as typeof wasm;
    fillNormals(k, stream(5).next, out, k.allocate(8));
    return [...out];
  });
  assertEquals(a, b);
  assertEquals(c, a.slice(0, 4));
});
