import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { packedFiles, PAGE, published } from "../../../../hosts/deno/page/package_page.ts";
import { files } from "../cli.ts";

const ROOT = fromFileUrl(new URL("../../../../", import.meta.url));

Deno.test("the address of the repository stands in one file", async () => {
  const address = new URL(PAGE), repository = address.host + address.pathname;
  for (const folder of ["hosts/", "docs/", "examples/"]) {
    for (const path of await files(ROOT, folder)) {
      if (!/\.(ts|js|md|html|json)$/.test(path)) continue;
      const isThere = (await Deno.readTextFile(join(ROOT, path))).includes(repository);
      assertEquals(isThere, false, `${path} names ${repository}`);
    }
  }
});

Deno.test("published: links of a document become absolute, at the tag of the version", () => {
  const text = published("![A](tests/a.png) [b](docs/b.md) [c](https://example.org/c)");
  assertEquals(text.includes("](tests/") || text.includes("](docs/"), false, text);
  assertEquals(text.includes("[c](https://example.org/c)"), true, text);
});

Deno.test("packedFiles: folders and files of a package, once each", () => {
  assertEquals(packedFiles([["b/c.js", ""], ["b/d/e.js", ""], ["a.js", ""]]), ["a.js", "b"]);
});
