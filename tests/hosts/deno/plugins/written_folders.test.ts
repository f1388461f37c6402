import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { writtenFolders } from "../../../../hosts/deno/plugins/written_folders.ts";
import { assertSentence, cli, withFolder } from "../cli.ts";
import { contextSource, priorSource, withSources } from "./plugin_sources.ts";

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

/** Code that tries to write files, and prints the names of those that it could write. */
function writing(paths: readonly string[]): string {
  const path = (path: string) => JSON.stringify(path),
    each = paths.map((one) => {
      return `try { Deno.mkdirSync(${path(dirname(one))}, { recursive: true }); Deno.writeTextFileSync(${
        path(one)
      }, "x"); wrote.push(${path(one)}); } catch {}`;
    });
  return `{ const wrote = []; ${each.join(" ")} console.log(JSON.stringify(wrote)); }`;
}

Deno.test("synth and forget --prove: a plugin without a sandbox writes no data and no fits that later commands use", async () => {
  await withFolder(async (folder) => {
    const cache = join(folder, "cache"), env = { XDG_CACHE_HOME: cache };
    const tries = ["mnist/train-images-idx3-ubyte", "fitted/gmm/x.parts"].map((path) => join(cache, "patchloom", path));
    const sources = { "x.ts": priorSource("x", { before: writing(tries) }) };
    const synth = [...await withSources(folder, sources), "--quiet", "--prior", "x", "--plugin", "./x.ts"];
    const prove = ["forget", "out", "--ids", "1", "--prove", "--quiet", "--plugin", "./x.ts"];
    for (const words of [synth, prove]) {
      const { code, stdout, stderr } = await cli(words, { cwd: folder, env });
      assertEquals(code, 0, stderr);
      assertEquals(stdout.match(/^\[.*\]$/mg)?.filter((line) => line !== "[]"), [], stdout);
    }
  });
});

Deno.test("synth --sandbox: what was computed beside a plugin is not kept for later commands", async () => {
  await withFolder(async (folder) => {
    const env = { XDG_CACHE_HOME: join(folder, "cache") }, fitted = join(folder, "cache/patchloom/fitted");
    // A small mixture, which is fitted quickly.
    const small = ["components=1", "given=0", "local=false", "patches=50"].flatMap((one) => ["--set", `prior.${one}`]);
    const words = await withSources(folder, { "x.ts": contextSource("x") });
    const synth = [...words, "--quiet", "--prior", "gmm", ...small];
    const isKept = () => Deno.stat(fitted).then(() => true, () => false);
    assertEquals((await cli([...synth, "--plugin", "./x.ts", "--sandbox"], { cwd: folder, env })).code, 0);
    assertEquals(await isKept(), false);
    assertEquals((await cli([...synth, "--force"], { cwd: folder, env })).code, 0);
    assertEquals(await isKept(), true);
  });
});
