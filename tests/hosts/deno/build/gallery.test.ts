import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { GALLERY } from "../../../../hosts/deno/build/gallery.ts";
import { KEPT } from "../../../once.ts";
import { denoDir } from "../cli.ts";

const ROOT = new URL("../../../../", import.meta.url);
const REAL = Deno.env.get("PATCHLOOM_DATA");

for (const { name, draw, mnist } of GALLERY) {
  if (mnist && !REAL) console.log(`Not run: the gallery's ${name}, because PATCHLOOM_DATA does not say where MNIST is`);
  Deno.test({
    name: `gallery: ${name}.png is drawn with the same bytes again`,
    ignore: mnist && !REAL,
    fn: async () => {
      const env = { XDG_CACHE_HOME: KEPT, DENO_DIR: denoDir() };
      const drawn = await draw(env), committed = await Deno.readFile(new URL(`docs/gallery/${name}.png`, ROOT));
      const hint = `draw it again: deno task build:gallery ${name}${mnist ? " (MNIST)" : ""}`;
      assert(drawn.length === committed.length && drawn.every((byte, i) => byte === committed[i]), hint);
    },
  });
}

Deno.test("gallery: the guide shows each picture, and its command or address", async () => {
  const guide = (await Deno.readTextFile(new URL("docs/gallery.md", ROOT))).replaceAll(/\s+/g, " ");
  for (const { name, command, address } of GALLERY) {
    assertStringIncludes(guide, `(gallery/${name}.png)`);
    if (command) assertStringIncludes(guide, `\`deno task ${command}\``);
    if (address) assertStringIncludes(guide, `\`#${address}\``);
  }
  const files = [...Deno.readDirSync(new URL("docs/gallery/", ROOT))].map(({ name }) => name);
  assertEquals(files.sort(), GALLERY.map(({ name }) => `${name}.png`).sort());
  const sizes = await Promise.all(
    files.map(async (file) => (await Deno.stat(new URL(`docs/gallery/${file}`, ROOT))).size),
  );
  assert(sizes.every((size) => size < 200_000), String(sizes));
});
