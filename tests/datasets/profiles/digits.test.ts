import { assertEquals } from "@std/assert";
import { digits } from "../../../datasets/profiles/digits.ts";
import { digitsPaper } from "../../../datasets/profiles/digits_paper.ts";

Deno.test("digits: the paper's values under its own name", () => {
  const { name, about } = digits;
  assertEquals(digits, { ...digitsPaper, name, about });
  assertEquals([name, digits.dataset, digits.classwise], ["digits", "mnist", true]);
});
