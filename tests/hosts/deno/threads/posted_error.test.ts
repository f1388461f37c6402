import { assert, assertEquals } from "@std/assert";
import { shown } from "../../../../core/shown.ts";
import { denied, posted, received } from "../../../../hosts/deno/threads/posted_error.ts";

Deno.test("posted and received: message, stack and causes make the journey, whatever was thrown", () => {
  const deep = new TypeError("outer", { cause: new Error("inner", { cause: () => "cannot be posted" }) });
  const made = (thrown: unknown) => received(structuredClone(posted(thrown)))!, error = made(deep);
  assert(error instanceof Error && error.cause instanceof Error && error.cause.cause instanceof Error);
  assertEquals([error.message, error.stack, error.cause.message], ["outer", deep.stack, "inner"]);
  for (const thrown of ["text", undefined, null, { a: () => 1 }, Symbol("x")]) {
    const { message } = made(thrown);
    assertEquals(message, thrown === "text" ? thrown : `it threw ${shown(thrown)}, which is no error`);
  }
  const own = new Error("around");
  own.cause = own;
  let depth = 0;
  for (let one: unknown = made(own); one instanceof Error; one = one.cause) depth++;
  assert(depth > 1 && depth < 20, `${depth} causes of one that causes itself`);
});

Deno.test("received: what `posted` did not make is no error, or one of bounded length and depth", () => {
  for (const data of [undefined, null, 5, "text", [], {}, new Error().stack, { message: 5 }, { message: null }]) {
    assertEquals(received(data), undefined);
  }
  const own: Record<string, unknown> = { message: "m".repeat(1e6), stack: "s".repeat(1e6) };
  own.cause = own;
  let error: unknown = received(own), depth = 0;
  for (; error instanceof Error; error = error.cause) {
    assert(error.message.length + error.stack!.length <= 20_000, "longer than what is kept");
    depth++;
  }
  assert(depth < 20, `${depth} causes of one that causes itself`);
  const { message, cause } = received({ message: "m", stack: 5, cause: { message: {} } })!;
  assertEquals([message, cause], ["m", undefined]);
});

Deno.test("denied: what a plugin asked for, in place of advice to allow it", () => {
  const cases: [string, string][] = [
    [
      'Requires read access to "/a, b", run again with the --allow-read flag',
      'it asked for read access to "/a, b", which it is not given ' +
      "(a plugin in a sandbox reads the files of its folder that a text in its code names)",
    ],
    ["Requires env access, run again with the --allow-env flag", "it asked for env access, which it is not given"],
    [
      'Requires import access to "h:1", run again with the --allow-import flag',
      'it asked for import access to "h:1", which it is not given',
    ],
    [
      `Expected a JSON module, but identified a JavaScript module.
  Specifier: data:text/javascript,throw%20new%20Error(%22Cannot%20import%20%5C%22(a)%5C%22%22)%3B`,
      'Cannot import "(a)"',
    ],
    [
      "Specifier: data:text/javascript,throw%20new%20Error(%22%)%3B",
      "Specifier: data:text/javascript,throw%20new%20Error(%22%)%3B",
    ],
    ["something else", "something else"],
    // A plugin can throw such messages, too.
    ...["%22%E0%22", "%22%5Cx%22", "%22%22%22"].map((refusal): [string, string] => {
      const message = `Expected a X\n Specifier: data:text/javascript,throw%20new%20Error(${refusal})%3B`;
      return [message, message];
    }),
  ];
  for (const [message, told] of cases) assertEquals(denied(message), told);
});
