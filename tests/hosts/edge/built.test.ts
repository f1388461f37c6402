/** What `build:edge` writes, as the builders and hosts read it. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { writePack } from "../../../datasets/formats/pack.ts";
import { texture } from "../../../datasets/profiles/mod.ts";
import { buildEdge, checkBundled } from "../../../hosts/deno/build/build_edge.ts";
import { smallPack } from "../../datasets/formats/packs.ts";
import { withFolder } from "../deno/cli.ts";
import { digitsPack } from "./digits_pack.ts";
import { installed, onWorkers, output } from "./runtimes.ts";

/** What Vercel's builders read `config` with: they parse the file, and do not run it. */
const staticConfig = await installed("@vercel/static-config", "3.4.4");
const miniflare = await installed("miniflare", "4.20260730.0");

Deno.test("build:edge: Vercel's builder reads the runtime of the bundle, which is a module", {
  ignore: staticConfig === undefined,
}, async () => {
  await withFolder(async (folder) => {
    await buildEdge(folder, digitsPack(10));
    const file = join(folder, "vercel/vercel.js"), text = await Deno.readTextFile(file);
    assertMatch(text, /^export const config = \{ runtime: "edge" \};\n/);
    const program = `console.log(JSON.stringify(require(${JSON.stringify(staticConfig)}).getConfig(undefined, ${
      JSON.stringify(file)
    })))`;
    assertEquals(await output("node", ["-e", program], folder), '{"runtime":"edge"}\n');
  });
});

Deno.test("build:edge: a Worker takes its pack from a bucket, and says so while there is none", {
  ignore: miniflare === undefined,
}, async () => {
  await withFolder(async (folder) => {
    const pack = digitsPack(10);
    await buildEdge(folder, pack);
    for (const isThere of [true, false]) {
      if (!isThere) await Deno.remove(join(folder, "workers_r2/digits.loom"));
      await using host = await onWorkers(miniflare!, folder, "workers_r2");
      const response = await host.fetch("/synth?class=3"), bytes = await response.bytes();
      assertEquals(response.status, isThere ? 200 : 503);
      if (isThere) assertEquals(bytes[1], 0x50);
      else assertEquals(new TextDecoder().decode(bytes), "There is no digits.loom in the bucket\n");
    }
  });
});

Deno.test("build:edge: requests that come while a Worker fetches its pack have one handler", {
  ignore: miniflare === undefined,
}, async () => {
  await withFolder(async (folder) => {
    await buildEdge(folder, digitsPack(10));
    const main = join(folder, "workers_r2/workers_r2.js"), text = await Deno.readTextFile(main);
    const slow = text.replace(/(\w+)\.PACKS\.get\((\w+)\)/, "scheduler.wait(300).then(() => $1.PACKS.get($2))");
    assert(slow !== text);
    await Deno.writeTextFile(main, slow);
    await using host = await onWorkers(miniflare!, folder, "workers_r2");
    const made = async (path: string) => (await host.fetch(path)).bytes();
    const work = async () => JSON.parse(new TextDecoder().decode(await made("/health"))).requests.doneWork;
    const left = new AbortController(); // whoever begins to fetch the pack may leave
    const first = host.fetch("/synth?class=3&seed=9", { signal: left.signal }).catch(() => {});
    const images = Array.from({ length: 6 }, (_, seed) => made(`/synth?class=3&seed=${seed}`));
    setTimeout(() => left.abort(), 100);
    assertEquals((await Promise.all(images)).map((bytes) => bytes[1]), Array(6).fill(0x50));
    await first;
    const all = await work();
    await made("/synth?class=3&seed=20");
    assert(all > 4 * (await work() - all));
  });
});

Deno.test("build:edge: a pack that the handler refuses is refused, with the handler's reason", async () => {
  const pack = smallPack();
  await checkBundled(writePack(pack), "own.loom");
  const refused = async (bytes: Uint8Array<ArrayBuffer>, why: RegExp) => {
    assertMatch((await assertRejects(() => checkBundled(bytes, "own.loom"), Error)).message, why);
  };
  const other = writePack({ ...pack, profile: { ...pack.profile, prior: ["quantile", {}] } });
  const plugins = 'There is no prior "quantile".*; a handler of your own takes plugins';
  await refused(other, new RegExp(`^Cannot bundle own.loom: ${plugins}`));
  await refused(new Uint8Array(9), /own\.loom/);
  const pixels = Uint8Array.from({ length: 3 * 4096 }, (_, i) => i * i);
  const exemplar = { count: 1, height: 64, width: 64, channels: 3, pixels };
  const seeds = { count: 0, height: 48, width: 48, channels: 3, images: new Float32Array() };
  const brick = writePack({ profile: texture, origin: "a pattern", train: { images: exemplar }, seeds });
  await refused(brick, /^Cannot bundle own.loom: expected a profile of aligned images, got one of a texture; the page/);
});
