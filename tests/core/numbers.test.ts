import { assertEquals } from "@std/assert";
import { evenlySpaced, mean, numbersFrom, range, variance } from "../../core/numbers.ts";

Deno.test("numbers: counted from 0 or from another number on, also none", () => {
  assertEquals([...range(3)], [0, 1, 2]);
  assertEquals([...range(0)], []);
  assertEquals(numbersFrom(4, 7), [4, 5, 6]);
  assertEquals(numbersFrom(2 ** 32, 2 ** 32 + 1), [2 ** 32]);
  assertEquals([numbersFrom(4, 4), numbersFrom(4, 2)], [[], []]);
});

Deno.test("mean: of some values, and of none", () => {
  assertEquals([mean([1, 2, 6]), mean([])], [3, NaN]);
});

Deno.test("evenlySpaced: all items of a few; of many the first, and the others evenly", () => {
  assertEquals([...evenlySpaced(3, 5)], [0, 1, 2]);
  assertEquals([...evenlySpaced(10, 4)], [0, 2, 5, 7]);
  assertEquals([...evenlySpaced(0, 4)], []);
});

Deno.test("variance: by the values less one; NaN of one", () => {
  assertEquals([variance([1, 2, 3, 6]), variance(Float64Array.of(0.5, 0.5)), variance([7])], [14 / 3, 0, NaN]);
});
