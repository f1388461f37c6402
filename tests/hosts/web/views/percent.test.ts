import { assertEquals } from "@std/assert";
import { chanceOf, decidersOf, percentOf } from "../../../../hosts/web/views/percent.ts";

Deno.test("percentOf: two digits, and the smallest as <0.1 %", () => {
  assertEquals([0, 0.0004, 0.0123, 0.256, 1].map(percentOf), [
    "0.0\u00a0%",
    "<0.1\u00a0%",
    "1.2\u00a0%",
    "26\u00a0%",
    "100\u00a0%",
  ]);
});

Deno.test("chanceOf: how many of the candidates had a chance, in words", () => {
  const said = ([1, 1.04, 1.6, 1.99, 12.4] as const).map((effective) => chanceOf(effective, 100));
  assertEquals(said, [
    "One candidate was almost certain.",
    "One candidate was almost certain.",
    "One candidate was much likelier than the others.",
    "About 2 of them had a real chance.",
    "About 12 of them had a real chance.",
  ]);
  assertEquals(chanceOf(1.99, 2), "Each of them had a real chance.");
});

Deno.test("decidersOf: how many examples decide a mean, in words", () => {
  assertEquals([1, 1.3, 2.4].map(decidersOf), [
    "One example decides.",
    "One example decides nearly alone.",
    "About 2 examples decide together.",
  ]);
});
