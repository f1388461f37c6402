import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { load } from "../../../bench/load.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import { onDeno } from "./runtimes.ts";

import configuration from "../../../deno.json" with { type: "json" };

/**
 * MB by which the least memory may grow from 500 requests to the next 500, twice in a row, 20 KB a request; how many such stretches
 * are tried until it does not grow more.
 */
const LEVEL = 10, MOST = 8;

Deno.test("a server under load: no errors, and no growing memory", async () => {
  await withFolder(async (folder) => {
    const pack = join(folder, "digits.loom");
    await Deno.writeFile(pack, digitsPack(10));
    await using server = await onDeno([pack]);
    const { latencies, errors, memory } = await load(server, 1000, 16);
    assertEquals([latencies.length, errors], [1000, {}]);
    assert(memory.length === 10 && memory.every((mb) => mb > 20), `${memory}`);
    // The engine's heap settles in steps of some 30 MB, on a busy machine later than on another. What leaks never settles.
    const least = [Math.min(...memory.slice(5))];
    const grows = () => least.length < 3 || least.slice(-2).some((mb, i) => mb - least[least.length - 3 + i] > LEVEL);
    while (grows() && least.length < MOST) least.push(Math.min(...(await load(server, 500, 16)).memory));
    assert(!grows(), `${least.map(Math.round)}`);
  });
});

Deno.test("serve: what cannot be served is reported in one sentence", async () => {
  const root = fromFileUrl(new URL("../../../", import.meta.url));
  const folder = await Deno.makeTempDir(), alien = join(folder, "alien.loom");
  await Deno.writeTextFile(alien, "no pack");
  const [serve, ...flags] = configuration.tasks.serve.command.split(" ").slice(1);
  for (
    const [args, code, sentence] of [
      [[], 2, "serve needs packs: deno task serve digits.loom"],
      [["--port", "1"], 2, 'serve takes packs only, got "--port"'],
      [[join(folder, "none.loom")], 1, "Cannot read "],
      [[alien], 1, `Cannot serve ${alien}: The pack is not a pack`],
    ] as const
  ) {
    const ran = await new Deno.Command(Deno.execPath(), { args: [serve, "--port", "0", ...flags, ...args], cwd: root })
      .output();
    const lines = new TextDecoder().decode(ran.stderr).trim().split("\n").filter((line) =>
      !/Download|Check/.test(line)
    );
    assertEquals([ran.code, lines.length, lines[0].startsWith(sentence)], [code, 1, true], lines.join("\n"));
  }
  await Deno.remove(folder, { recursive: true });
});
