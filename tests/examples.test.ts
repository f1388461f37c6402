/** The examples run as they stand, and each makes a picture. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { decode } from "fast-png";
import { files, withFolder } from "./hosts/deno/cli.ts";

const EXAMPLES = new URL("../examples/", import.meta.url);
const names = [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name).sort();

Deno.test("examples: numbered from 01, each under 40 lines, and imports the library by its name alone", async () => {
  assertEquals(names.map((name) => name.slice(0, 3)), names.map((_, i) => `0${i + 1}_`));
  for (const name of names) {
    const text = await Deno.readTextFile(new URL(name, EXAMPLES));
    assert(text.trimEnd().split("\n").length < 40, `${name} has 40 lines or more`);
    assert(text.startsWith("// ") && text.split("\n")[0].includes(`deno run -A examples/${name}`), name);
    for (const [, from] of text.matchAll(/from "(.+)"/g)) assert(from.startsWith("@patchloom/patchloom"), from);
  }
});

for (const name of names) {
  Deno.test(`examples: ${name} makes a picture that is not flat`, async () => {
    await withFolder(async (folder) => {
      const args = ["run", "--quiet", "--allow-read", "--allow-write=.", fromFileUrl(new URL(name, EXAMPLES))];
      const env = { NO_COLOR: "1" };
      const { code, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: folder, env }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      const [picture, ...others] = await files(folder);
      assertEquals(others, []);
      const { data, width, height } = decode(await Deno.readFile(join(folder, picture)));
      assert(width >= 100 && height >= 100 && new Set(data).size > 50, `${picture}: ${width}x${height}`);
    });
  });
}
