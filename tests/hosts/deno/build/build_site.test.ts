import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { buildGuides } from "../../../../hosts/deno/build/build_site.ts";

Deno.test("the site: every guide is a page, and every link and picture leads to a file or heading of it, or to the sources", async () => {
  const files = new Map(await buildGuides()), later = ["api/index.html", "page/index.html"];
  const docs = [...Deno.readDirSync(new URL("../../../../docs", import.meta.url))];
  const guides = docs.filter(({ isFile }) => isFile).map(({ name }) => name);
  for (const name of guides) assert(files.has(`docs/${name.replace(/md$/, "html")}`), `no page for ${name}`);
  let links = 0;
  for (const [file, html] of files) {
    if (!file.endsWith(".html")) continue;
    for (const [, link] of (html as string).matchAll(/ (?:href|src)="([^"]+)"/g)) {
      links++;
      if (/^https:/.test(link)) continue;
      const [path, heading] = link.split("#"), target = path === "" ? file : join(dirname(file), path);
      assert(files.has(target) || later.includes(target), `${file}: no ${link}`);
      if (heading) assert((files.get(target) as string).includes(`id="${heading}"`), `${file}: no heading ${link}`);
    }
  }
  assert(links > 500, `${links}`);
  const index = files.get("index.html") as string;
  assertEquals(index.match(/<h1[ >]/g)?.length, 1);
  assert(index.includes('<img src="docs/gallery/faces.png"'));
});
