import { assertEquals } from "@std/assert";
import { parse } from "@std/csv/parse";
import { csv, textOfField } from "../../../pipelines/report/csv.ts";

Deno.test("csv: whatever a text holds, a reader gets it back; a number that is not finite is an empty field", () => {
  const evil = 'a "quoted", cut\nname', rows = [[evil, 0.1 + 0.2], ["", NaN], ["x", -Infinity]];
  const text = csv({ columns: ["na,me", "v"], rows });
  assertEquals(parse(text), [["na,me", "v"], [evil, "0.30000000000000004"], ["", ""], ["x", ""]]);
  assertEquals(csv({ columns: ["a"], rows: [] }), "a\n");
});

Deno.test("csv: a text that a spreadsheet takes for a formula begins with an apostrophe, and is read back; numbers are none", () => {
  const texts = ["=HYPERLINK(1).png", "+a", "-b", "@c", "\td", '=1,"2"', "-1.5", "a=b", "'quoted'"];
  const fields = parse(csv({ columns: [], rows: texts.map((text) => [text]) }).slice(1)).map(([field]) => field);
  assertEquals(fields.filter((field, i) => field !== texts[i]), texts.slice(0, 6).map((text) => `'${text}`));
  assertEquals(fields.map(textOfField), texts);
});
