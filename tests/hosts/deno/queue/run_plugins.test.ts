import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Unsuited } from "../../../../hosts/deno/queue/jobs.ts";
import { pluginsOfRun } from "../../../../hosts/deno/queue/run_plugins.ts";
import { hashesOf } from "../../../../hosts/deno/plugins/open_plugins.ts";
import { readSources } from "../../../../hosts/deno/plugins/plugin_source.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("pluginsOfRun: a worker takes the modules of the run's code, and runs nothing of them to find out", async () => {
  await withFolder(async (folder) => {
    const paths = ["one.ts", "two.ts", "three.ts"].map((name) => join(folder, name));
    for (const path of paths) await Deno.writeTextFile(path, `throw new Error("${path}")`);
    const sources = readSources(paths, true), sums = [...(await hashesOf(sources)).values()];
    assertEquals(await pluginsOfRun({}, sources, "out"), []);
    const own = await pluginsOfRun({ plugins: { "prior a": sums[1], "context b": sums[1] } }, sources, "out");
    assertEquals(own, [sources[1]]);
    const needed = { plugins: { "prior a": sums[0], "context b": sums[1] } },
      short = (n: number) => sums[n].slice(0, 12);
    await assertRejects(
      () => pluginsOfRun(needed, sources.slice(1), "out"),
      Unsuited,
      `Cannot work for out, which uses the prior a: expected --plugin of this worker with code of SHA-256 ${
        short(0)
      }, ` +
        `got ${paths[1]} of ${short(1)}, ${paths[2]} of ${short(2)}`,
    );
    await assertRejects(() => pluginsOfRun(needed, [], "out"), Unsuited, "got none");
    // Changed since the run began, as by an update while a worker works.
    await Deno.writeTextFile(paths[0], "throw 1");
    await assertRejects(() => pluginsOfRun(needed, sources, "out"), Unsuited, short(0));
  });
});
