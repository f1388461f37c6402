import { assert, assertEquals, assertThrows } from "@std/assert";
import { RequestError } from "../../../../hosts/deno/system/request_error.ts";
import { readSource } from "../../../../hosts/deno/plugins/plugin_source.ts";

Deno.test("readSource: paths against the working directory, addresses as they are, nothing else", () => {
  const here = `file://${Deno.cwd()}`;
  const right: [string, string][] = [
    ["./a b.ts", `${here}/a%20b.ts`],
    ["../a.ts", `${here.slice(0, here.lastIndexOf("/"))}/a.ts`],
    ["/tmp/x/#1.ts", "file:///tmp/x/%231.ts"],
    ["file:///tmp/x.ts", "file:///tmp/x.ts"],
    ["npm:some@1", "npm:some@1"],
    ["jsr:@some/prior@1", "jsr:@some/prior@1"],
    ["https://example.com/x.ts", "https://example.com/x.ts"],
    ["http://127.0.0.1:8000/x.ts", "http://127.0.0.1:8000/x.ts"],
  ];
  for (const [specifier, url] of right) assertEquals(readSource(specifier), { specifier, url });
  for (
    const wrong of ["x.ts", "wobble", "http://example.com/x.ts", "http://localhost.example.com/x.ts", "data:,x", ""]
  ) {
    const error = assertThrows(
      () => readSource(wrong),
      RequestError,
      `Cannot use --plugin ${wrong}: expected a path such`,
    );
    assert(!error.message.includes("\n"));
  }
});
