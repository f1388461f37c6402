import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { plan } from "../../../../core/plan.ts";
import { digits } from "../../../../datasets/profiles/digits.ts";
import { findData } from "../../../../hosts/deno/data/find_data.ts";
import { BUILTIN_PLUGINS } from "../../../../hosts/deno/plugins/plugins.ts";
import { readEngine } from "../../../../hosts/deno/queue/engine_url.ts";
import { packOf, writeByEngine } from "../../../../hosts/deno/queue/write_by_engine.ts";
import { builtins } from "../../../../plugins/mod.ts";
import { smallData, withFolder } from "../cli.ts";

Deno.test("packOf: a pack is known by its ending, in letters of any case; other data is refused", () => {
  for (const path of ["a.loom", "b/A.LOOM"]) assertEquals(packOf(path), path);
  for (const path of ["a.json", "loom", undefined]) assertThrows(() => packOf(path), Error, "without a pack");
});

Deno.test("writeByEngine: where the engine is out of reach, no folder is left", async () => {
  await withFolder(async (folder) => {
    const data = await findData("mnist", await smallData(join(folder, "data")), {}), planned = plan(digits, builtins);
    const classes = [1, 2], common = { seed: 7, count: 4 }, out = join(folder, "a/b");
    const request = {
      input: { plan: planned, size: planned.sizes[0], data, classes, ...common, seedSource: "test" as const },
      shard: { first: 0, end: 4 },
      format: "idx" as const,
      from: "test",
      plugins: BUILTIN_PLUGINS,
      threads: 1,
      resume: false,
      force: false,
      recorded: common,
      engine: readEngine("env", "redis://127.0.0.1:1"),
      pack: join(folder, "a.loom"),
      out,
    };
    const watch = { signal: new AbortController().signal, say() {}, made() {} };
    await assertRejects(() => writeByEngine(request, watch), Error, "Cannot use the engine redis://127.0.0.1:1");
    assertEquals(await Deno.stat(join(folder, "a")).catch(() => undefined), undefined);
    await Deno.mkdir(out, { recursive: true });
    await assertRejects(() => writeByEngine(request, watch), Error, "Cannot use the engine redis://127.0.0.1:1");
    assertEquals(await Array.fromAsync(Deno.readDir(out)), [], "a folder that was there stays");
  });
});
