import { assert, assertEquals } from "@std/assert";
import { errorLine, inLine, oneLine, printable } from "../../../../hosts/deno/system/printable.ts";

Deno.test("printable: what moves the cursor or turns text round is written out, and all else stays", () => {
  assertEquals(
    printable("cats \u001b[2J\u009b2J\r\u007f\u202ex\n ä 漢"),
    "cats \\u001b[2J\\u009b2J\\u000d\\u007f\\u202ex\n ä 漢",
  );
  assertEquals(oneLine("data/x\nWhole: 20 images\r\n"), "data/x\\u000aWhole: 20 images\\u000d\\u000a");
  assertEquals(inLine("one\n\n two\u0007"), "one two\\u0007");
  const value = { name: "\u001b\u009b\u202e\n" };
  assertEquals(JSON.parse(printable(JSON.stringify(value, null, 2))), value);
});

Deno.test("commands print nothing but by way of printable.ts", async () => {
  const folder = new URL("../../../../hosts/deno/commands/", import.meta.url);
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (!isFile) continue;
    const source = await Deno.readTextFile(new URL(name, folder));
    assert(!/console\.|Deno\.std(out|err)/.test(source), name);
  }
});

Deno.test("errorLine: what an error quotes may be long; its beginning and its end stay", () => {
  const long = `Cannot read ${"x".repeat(10_000_000)}: expected a table`, line = errorLine(long);
  assertEquals([line.length < 4100, line.startsWith("Cannot read xxx"), line.endsWith("xxx: expected a table")], [
    true,
    true,
    true,
  ]);
  assertEquals(errorLine("Cannot\nread"), "Cannot read");
});
