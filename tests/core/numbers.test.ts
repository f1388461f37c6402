import { assertEquals } from "@std/assert";
import { mean, numbersFrom, range } from "../../core/numbers.ts";

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
