import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import plugin, { MAX_FILE, MAX_FUNCTION } from "./short.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const report = (file: string, source: string) => {
  return Deno.lint.runPlugin(plugin, join(root, file), source).map(({ id, message }) => `${id}: ${message}`);
};
/** So many lines of code. */
const lines = (count: number) => "f();\n".repeat(count);
const tooLong = (name: string) => {
  return `patchloom-length/short-functions: ${name} has ${MAX_FUNCTION + 1} lines: expected at most ${MAX_FUNCTION}`;
};

/** A function of each kind, around its lines but the first and the last. */
const FUNCTIONS: readonly (readonly [name: string, begin: string, end: string])[] = [
  ["f", "function f() {\n", "}\n"],
  ["f", "export async function* f() {\n", "}\n"],
  ["f", "export const f = (a: number) => {\n", "};\n"],
  ["f", "const f = async function () {\n", "};\n"],
  ["m", "class C { m() {\n", "} }\n"],
  ["#m", "class C { #m() {\n", "} }\n"],
  ["constructor", "class C { constructor() {\n", "} }\n"],
  ["p", "const o = { p() {\n", "} };\n"],
  ["p", "const o = { p: () => {\n", "} };\n"],
  ["a function", "g(() => {\n", "});\n"],
  ["a function", "export default function () {\n", "}\n"],
];

for (const [name, begin, end] of FUNCTIONS) {
  Deno.test(`short-functions: ${begin.trim()} may have ${MAX_FUNCTION} lines and no more`, () => {
    assertEquals(report("core/x.ts", begin + lines(MAX_FUNCTION - 2) + end), []);
    assertEquals(report("core/x.ts", begin + lines(MAX_FUNCTION - 1) + end), [tooLong(name)]);
  });
}

Deno.test("short-functions: a function counts with those inside it; tests may be long", () => {
  const inner = `function inner() {\n${lines(MAX_FUNCTION - 2)}}\n`, outer = `function outer() {\n${inner}}\n`;
  assertEquals(report("hosts/deno/x.ts", outer).map((message) => /: (\w+)/.exec(message)![1]), ["outer"]);
  assertEquals(report("tests/core/x.test.ts", outer), []);
});

Deno.test("short-files: a file may have so many lines and no more", () => {
  assertEquals(report("pipelines/x.ts", lines(MAX_FILE)), []);
  const message = `patchloom-length/short-files: pipelines/x.ts has ${
    MAX_FILE + 1
  } lines: expected at most ${MAX_FILE}`;
  assertEquals(report("pipelines/x.ts", lines(MAX_FILE + 1)), [message]);
});
