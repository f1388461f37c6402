/** exp and log against the engine's own, which are within 1 ulp of the truth. */
import { assert, assertEquals } from "@std/assert";
import type { Kernels } from "../../core/kernels.ts";
import { put, range, testBoth } from "../kernels_under_test.ts";

/** Applies a function in place to a copy of numbers in kernel memory. */
function inPlace(kernels: Kernels, name: "expInPlace" | "logInPlace", numbers: readonly number[]): Float64Array {
  const at = put(kernels, Float64Array.from(numbers));
  kernels[name](at, numbers.length);
  return kernels.f64(at, numbers.length);
}

function assertWithin2Ulp(actual: Float64Array, arguments_: readonly number[], truth: (x: number) => number) {
  arguments_.forEach((x, i) => {
    const want = truth(x), ulp = 2 ** (Math.floor(Math.log2(Math.abs(want))) - 52);
    assert(Math.abs(actual[i] - want) <= 2 * ulp, `of ${x}: ${actual[i]}, more than 2 ulp from ${want}`);
  });
}

testBoth("exp: within 2 ulp of Math.exp", (kernels) => {
  for (const numbers of [range(-708, 709), range(-1, 1), range(-1e-6, 1e-6)]) {
    assertWithin2Ulp(inPlace(kernels, "expInPlace", numbers), numbers, Math.exp);
  }
});

testBoth("exp: the ends and what is no number", (kernels) => {
  const exp = inPlace(kernels, "expInPlace", [0, -0, -708.001, -709, -Infinity, 709.5, Infinity, NaN]);
  assertEquals([...exp], [1, 1, 0, 0, 0, Infinity, Infinity, NaN]);
});

testBoth("log: within 2 ulp of Math.log", (kernels) => {
  const powers = range(-1021, 1023).map((power) => 2 ** power);
  for (const numbers of [range(0.4, 3).filter((x) => x !== 1), range(1e-3, 1e6), powers, [Number.MAX_VALUE]]) {
    assertWithin2Ulp(inPlace(kernels, "logInPlace", numbers), numbers, Math.log);
  }
});

testBoth("log: the ends, what is no number, subnormal numbers count as 0", (kernels) => {
  const log = inPlace(kernels, "logInPlace", [1, 0, -0, 1e-310, Infinity, -1, -Infinity, NaN]);
  assertEquals([...log], [0, -Infinity, -Infinity, -Infinity, Infinity, NaN, NaN, NaN]);
});
