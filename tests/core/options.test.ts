import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { optionValues } from "../../core/options.ts";
import { shown } from "../../core/shown.ts";
import { suggestion } from "../../core/suggestion.ts";
import { definePlugin } from "../../core/plugin.ts";
import { check } from "../kernels_under_test.ts";

const prior = definePlugin({
  api: 1,
  kind: "prior",
  name: "square",
  about: "",
  options: {
    count: { default: 5, min: 1, max: 9, integer: true, about: "" },
    weight: { default: 0.5, min: 0, about: "" },
    free: { default: -1, about: "" },
    loud: { default: false, about: "" },
    mode: { default: "far", choices: ["far", "near"], about: "" },
    label: { default: "x", about: "" },
  },
  create: () => ({ fit: () => ({ draw() {} }) }),
});

Deno.test("optionValues: the defaults with what is given on top, frozen", () => {
  const defaults = { count: 5, weight: 0.5, free: -1, loud: false, mode: "far", label: "x" };
  assertEquals(optionValues(prior, {}), defaults);
  const given = { count: 9, weight: 0, free: -1e9, loud: true, mode: "near", label: "" };
  const values = optionValues(prior, given);
  assertEquals(values, given);
  assert(Object.isFrozen(values) && !Object.isFrozen(given));
});

/** Option, wrong value, and what the sentence says was wanted and found. */
const WRONG: [string, unknown, string, string][] = [
  ...[0, 10, 2.5, NaN, Infinity, -1].map((value): [string, unknown, string, string] => {
    return ["count", value, "an integer >= 1 and <= 9", String(value)];
  }),
  ["count", "5", "an integer >= 1 and <= 9", '"5"'],
  ["count", null, "an integer >= 1 and <= 9", "null"],
  ["count", [5], "an integer >= 1 and <= 9", "[5]"],
  ["count", { toString: 1, valueOf: 2 }, "an integer >= 1 and <= 9", '{"toString":1,"valueOf":2}'],
  ["count", undefined, "an integer >= 1 and <= 9", "undefined"],
  ["count", true, "an integer >= 1 and <= 9", "true"],
  ["count", 5n, "an integer >= 1 and <= 9", "5"],
  ["weight", -0.1, "a number >= 0", "-0.1"],
  ["free", -Infinity, "a number", "-Infinity"],
  ["loud", 1, "true or false", "1"],
  ["loud", "true", "true or false", '"true"'],
  ["mode", "nearer", "far or near", '"nearer"'],
  ["mode", 1, "far or near", "1"],
  ["label", false, "a text", "false"],
];

Deno.test("optionValues: a wrong value is one sentence: where, what was wanted, what was found", () => {
  for (const [option, value, wanted, found] of WRONG) {
    const sentence = `Cannot set "${option}" on prior "square": expected ${wanted}, got ${found}`;
    assertEquals(assertThrows(() => optionValues(prior, { [option]: value }), Error).message, sentence);
  }
});

Deno.test("optionValues: an option that is not there is answered with the nearest", () => {
  const valid = "(valid: count, weight, free, loud, mode, label)";
  for (
    const [name, nearest] of [["wieght", "weight"], ["Lable", "label"], ["toString", undefined], [
      "__proto__",
      undefined,
    ]]
  ) {
    const given = JSON.parse(`{"${name}": 1}`);
    const { message } = assertThrows(() => optionValues(prior, given), Error, `prior "square" has no option "${name}"`);
    assert(message.endsWith(valid) && message.includes(`nearest: "${nearest}"`) === (nearest !== undefined), message);
  }
});

Deno.test("shown, suggestion: never throw, whatever JSON holds, and stay short", () => {
  check(fc.jsonValue(), 500, (value) => {
    assert(shown(value).length <= 60 && suggestion(shown(value), ["a", "b"]).includes("valid: a, b"));
  });
  assertEquals(shown("x".repeat(100)), `"${"x".repeat(56)}...`);
});
