/** What a command loads before it knows what it is asked for: each module and each package makes `--help` wait. */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { filesBelow } from "../../../../hosts/deno/folders/files_below.ts";
import { COMMANDS } from "../../../../hosts/deno/main.ts";
import { modulesOf, neededBy } from "../modules.ts";

/** The most modules of this project that a command may load for its help. `synth` loads 22 of them. */
const MAX_MODULES = 26;

for (const name of Object.keys(COMMANDS)) {
  Deno.test(`${name} --help loads its flags, and neither what runs it nor a package`, async () => {
    const loaded = await modulesOf(["hosts/deno/main.ts", `hosts/deno/commands/${name}.ts`]);
    const ours = [...loaded].filter((path) => !path.includes(":"));
    const got = `got ${ours.length}: ${ours.join(", ")}`;
    assert(ours.length <= MAX_MODULES, `expected at most ${MAX_MODULES} modules, ${got}`);
    assertEquals([...loaded].filter((path) => /^(npm|node|jsr|https?):/.test(path)), []);
    assertEquals(ours.filter((path) => /^(assembly|priors|plugins)\//.test(path)), []);
  });
}

/** The most modules of this project that `synth` may load to make an image of built-in data, beside the built-in plugins. */
const MAX_SYNTH = 266;

Deno.test("synth loads neither the page's code, nor what draws built-in images, which are kept", async () => {
  const loaded = await modulesOf(["hosts/deno/runs/synthesize.ts"]);
  const ours = [...loaded].filter((path) => !path.includes(":"));
  const others = ours.filter((path) => !/^(plugins|priors)\//.test(path));
  const instead = "import what only some runs need when they need it (hosts/deno/system/needed.ts)";
  assert(others.length <= MAX_SYNTH, `expected at most ${MAX_SYNTH} modules, got ${others.length}: ${instead}`);
  const drawing = /^(pipelines\/page|datasets\/procedural)\/(?!builtin_data|textures|shading)/;
  assertEquals(ours.filter((path) => drawing.test(path)), []);
});

Deno.test("what is imported when it is needed is what its types name", async () => {
  const root = new URL("../../../../", import.meta.url), folder = "hosts/deno/";
  const names = await filesBelow(fromFileUrl(new URL(folder, root)));
  let count = 0;
  for (const path of names.filter((name) => name.endsWith(".ts")).map((name) => folder + name)) {
    const source = await Deno.readTextFile(new URL(path, root)), modules = await neededBy(path);
    assertEquals(modules.length, source.match(/needed<typeof/g)?.length ?? 0, path);
    for (const { typed, imported } of modules) assertEquals(imported, typed, path);
    count += modules.length;
  }
  assert(count >= Object.keys(COMMANDS).length, String(count));
});
