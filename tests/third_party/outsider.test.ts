/** A third party's prior is used from outside the repository, as a stranger would: by its specifier alone. */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { cli, inSessions, readResult, withFolder } from "../hosts/deno/cli.ts";

const run = inSessions("synth", "profile", "plugin");
const SOURCE = new URL("./wobble_prior/mod.ts", import.meta.url);

Deno.test("outsider: a prior in a folder elsewhere is checked, used and blamed, in a sandbox and without", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "wobble_prior"));
    await Deno.copyFile(SOURCE, join(folder, "wobble_prior/mod.ts"));
    // Its own map of names, which leads nowhere: the host's counts.
    const names = { imports: { "@patchloom/patchloom": "./nothing.ts" } };
    await Deno.writeTextFile(join(folder, "wobble_prior/deno.json"), JSON.stringify(names));
    const plugin = ["--plugin", "./wobble_prior/mod.ts"];

    const checked = await run(["plugin", "check", plugin[1], "--sandbox"], { cwd: folder });
    assertEquals(checked.code, 0, checked.stdout + checked.stderr);

    const words = ["synth", "--profile", "digits", "--class", "3", "--count", "4", "--out", "out", "--prior", "wobble"];
    const synthesized = async (...more: string[]) => {
      const ran = await (more.length === 0 ? cli : run)([...words, ...plugin, ...more], { cwd: folder });
      assertEquals(ran.code, 0, ran.stderr);
      assert(ran.stderr.startsWith('Plugin: prior "wobble" of ./wobble_prior/mod.ts'), ran.stderr);
      return await readResult(join(folder, "out"));
    };
    const plain = await synthesized();
    assertEquals(plain.run.prior, { name: "wobble", reach: 2, tries: 40 });
    for (const image of plain.run.images) assert(image.contributors.length > 0, "every pixel can be traced");
    assertEquals((await synthesized("--sandbox")).pixels, plain.pixels);
    assertEquals((await synthesized("--threads", "1")).pixels, plain.pixels);
    assertNotEquals((await synthesized("--set", "prior.reach=0")).pixels, plain.pixels);

    // In a profile of its own, with its options in the schema.
    const { stdout: shown } = await run(["profile", "show", "digits"]);
    const profile = { ...JSON.parse(shown), name: "wavy", prior: ["wobble", { reach: 2 }] };
    await Deno.writeTextFile(join(folder, "wavy.json"), JSON.stringify({ $schema: "./schema.json", ...profile }));
    const wavy = await run([...words.with(2, "wavy.json").slice(0, -2), ...plugin, "--quiet"], { cwd: folder });
    assertEquals([wavy.code, (await readResult(join(folder, "out"))).pixels], [0, plain.pixels], wavy.stderr);
    const schema = await run(["profile", "schema", ...plugin], { cwd: folder });
    assertStringIncludes(schema.stdout, "pixels that places tremble by");
  });
});
