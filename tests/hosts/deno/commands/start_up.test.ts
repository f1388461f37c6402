/** What a command loads before it knows what it is asked for: each module and each package makes `--help` wait. */
import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../../../hosts/deno/main.ts";
import { modulesOf, neededBy } from "../modules.ts";

/** The most modules of this project that a command may load for its help. `synth` loads 16 of them. */
const MAX_MODULES = 26;

for (const name of Object.keys(COMMANDS)) {
  Deno.test(`${name} --help loads its flags, and neither what runs it nor a package`, async () => {
    const loaded = await modulesOf(["hosts/deno/main.ts", `hosts/deno/commands/${name}.ts`]);
    const ours = [...loaded].filter((path) => !path.includes(":"));
    assert(ours.length <= MAX_MODULES, `${ours.length}: ${ours.join(", ")}`);
    assertEquals([...loaded].filter((path) => /^(npm|node|jsr|https?):/.test(path)), []);
    assertEquals(ours.filter((path) => /^(assembly|priors|plugins)\//.test(path)), []);
  });
}

Deno.test("what commands import when it is needed is what its types name", async () => {
  const folder = "hosts/deno/commands/", root = new URL("../../../../", import.meta.url);
  let count = 0;
  for (const below of ["", "flags/"]) {
    for await (const { name, isFile } of Deno.readDir(new URL(folder + below, root))) {
      if (!isFile) continue;
      const source = await Deno.readTextFile(new URL(folder + below + name, root));
      const modules = await neededBy(folder + below + name);
      assertEquals(modules.length, source.match(/needed<typeof/g)?.length ?? 0, name);
      for (const { typed, imported } of modules) assertEquals(imported, typed, name);
      count += modules.length;
    }
  }
  assert(count >= Object.keys(COMMANDS).length, String(count));
});
