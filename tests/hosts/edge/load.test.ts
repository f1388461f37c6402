import { assert, assertEquals, assertLess } from "@std/assert";
import { join } from "@std/path";
import { load } from "../../../bench/load.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import { onDeno } from "./runtimes.ts";

Deno.test("a server under load: no error, and no memory that it does not give back", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom");
    await Deno.writeFile(pack, digitsPack(10));
    await using server = await onDeno([pack]);
    const { latencies, errors, memory } = await load(server, 300, 16);
    assertEquals([latencies.length, errors], [300, {}]);
    const half = memory.slice(memory.length / 2);
    assert(half.length === 5 && half.every((mb) => mb > 20), `${memory}`);
    // Garbage comes and goes; what leaks 100 KB a request would be 15 MB more.
    assertLess(half.at(-1)! - half[0], 15);
  });
});
