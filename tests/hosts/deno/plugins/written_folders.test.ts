import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { writtenFolders } from "../../../../hosts/deno/plugins/written_folders.ts";
import { assertSentence, cli, withFolder } from "../cli.ts";
import { priorSource, withSources } from "./plugin_sources.ts";

Deno.test("writtenFolders: the folder of results and that of drawn data; none for the suite of plugins", () => {
  const last = (...words: string[]) => writtenFolders(words)?.[0]?.split(/[/\\]/).at(-1);
  assertEquals(last("synth", "--profile", "digits"), "out");
  assertEquals(last("synth", "--out", "mine", "--count", "1"), "mine");
  assertEquals(last("assess", "--out=there/mine"), "mine");
  assertEquals(last("forget", "run", "--ids", "1,2"), "run");
  assertEquals(writtenFolders(["plugin", "check", "./x.ts"]), []);
  assertEquals(writtenFolders(["forget", "run", "--ids", "1", "--prove"]), undefined, "it makes a temporary folder");
  assertEquals(writtenFolders(["synth", "--out", "a,b"]), undefined, "no list of Deno's can name it");
});

Deno.test("synth: a plugin without a sandbox writes to the folder of results, and nowhere else", async () => {
  await withFolder(async (folder) => {
    const writes = (path: string) => priorSource("x", { fit: `Deno.writeTextFileSync(${JSON.stringify(path)}, "x");` });
    const sources = { "x0.ts": writes("stolen.txt"), "x1.ts": writes(join(folder, "out/../stolen.txt")) };
    const synth = [...await withSources(folder, sources), "--quiet", "--threads", "1", "--prior", "x"];
    for (const plugin of ["./x0.ts", "./x1.ts"]) {
      const ran = await cli([...synth, "--plugin", plugin, "--force"], { cwd: folder });
      assertSentence(ran, 1, `prior "x" of ${plugin} failed in fit, layer 0: `);
    }
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.includes("stolen")), []);
    await Deno.writeTextFile(join(folder, "x2.ts"), writes(join(folder, "out", "note.txt")));
    assertEquals((await cli([...synth, "--plugin", "./x2.ts", "--force"], { cwd: folder })).code, 0);
  });
});
