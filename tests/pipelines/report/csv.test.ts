import { assertEquals } from "@std/assert";
import { parse } from "@std/csv/parse";
import { csv } from "../../../pipelines/report/csv.ts";

Deno.test("csv: whatever a text holds, a reader gets it back; a number that is not finite is an empty field", () => {
  const evil = 'a "quoted", cut\nname', rows = [[evil, 0.1 + 0.2], ["", NaN], ["x", -Infinity]];
  const text = csv({ columns: ["na,me", "v"], rows });
  assertEquals(parse(text), [["na,me", "v"], [evil, "0.30000000000000004"], ["", ""], ["x", ""]]);
  assertEquals(csv({ columns: ["a"], rows: [] }), "a\n");
});
