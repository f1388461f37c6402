import { assertEquals } from "@std/assert";
import { profiles } from "../../../../datasets/profiles/mod.ts";
import { jsonFault } from "../../../../hosts/deno/system/json_faults.ts";

/** Whether the runtime takes a text for JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

Deno.test("jsonFault: names the line and the slip", () => {
  const cases: readonly (readonly [text: string, fault: string])[] = [
    ['{\n  "a": [1,\n  2,\n  ],\n}', "line 4 has a comma after the last entry"],
    ['{ "a": 1,\n }', "line 2 has a comma after the last entry"],
    ['{ "size": 1,\n"b": { "size": 2 },\n"size": 3 }', 'line 3 has the entry "size" again'],
    ['{ "a":\n NaN }', "line 2 has NaN in place of a value"],
    ['{ "a": 1 // one\n }', "line 1 has a comment, which JSON has not"],
    ['{ "a": 1\n "b": 2 }', 'line 2 has "b" in place of a comma or an end'],
    ["{ a: 1 }", "line 1 has a in place of the name of an entry in quotes"],
    ['{ "a" 1 }', "line 1 has 1 in place of a colon"],
    ['{ "a": 01 }', "line 1 has 01 in place of a value"],
    ["{} {}", "line 1 has { in place of the end"],
    ['{ "a": "text\n" }', "line 1 has a text without its end"],
    ['{ "a": [1, 2', "it is cut off"],
    ["", "it is cut off"],
  ];
  for (const [text, fault] of cases) assertEquals(jsonFault(text), fault, text);
});

Deno.test("jsonFault: finds no fault in JSON, and one in what the runtime refuses for its marks", () => {
  const whole = JSON.stringify(Object.values(profiles), null, 1);
  for (const text of [whole, "1", ' "\\" \\u00e9" ', "[[],{}]", "-1.5e-3\n", "[".repeat(1e5) + "]".repeat(1e5)]) {
    assertEquals([jsonFault(text), isJson(text)], [undefined, true]);
  }
  // Without any one mark it is no JSON any more, but inside texts.
  const small = JSON.stringify({ a: [1, { b: "c" }, null], d: true }, null, 1);
  for (let i = 0; i < small.length; i++) {
    const text = small.slice(0, i) + small.slice(i + 1);
    assertEquals(jsonFault(text) === undefined, isJson(text), text);
  }
});
