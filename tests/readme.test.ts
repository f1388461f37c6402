/** The README: its commands run, it shows the ways in, and its figures are right. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { assertLinks, guides, openForDocuments, read, ROOT, runCommands, withFewFaces } from "./documents.ts";

const README = read("README.md");

Deno.test("README: its commands run one after another in one folder", async (t) => {
  const session = withFewFaces(openForDocuments());
  await runCommands(README, t, session);
  await session.close();
});

Deno.test("README: has 200 lines at most", () => {
  assert(README.text.trimEnd().split("\n").length <= 200);
});

Deno.test("README: what its links and pictures point to is there, and every guide is linked", () => {
  assertLinks(README);
  for (const { path } of guides()) assertStringIncludes(README.text, `(${path})`);
});

Deno.test("README: the size of the kernels is that of the file", async () => {
  const [, kilobytes] = /WebAssembly core of (\d+) KB/.exec(README.text)!;
  const { size } = await Deno.stat(join(ROOT, "assembly/kernels.wasm"));
  assertEquals(Number(kilobytes), Math.round(size / 1000));
});

Deno.test("README: names the version and the license of deno.json", async () => {
  const { version, license } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  assertStringIncludes(README.text, `version = {${version}}`);
  assertStringIncludes(README.text, `license = {${license}}`);
});
