import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { isBelow, packFinder } from "../../../../hosts/deno/queue/packs.ts";
import { sha256 } from "../../../../hosts/deno/system/hashes.ts";
import { withFolder } from "../with_folder.ts";

Deno.test("packFinder: a fetch has an end, and one that fails leaves no folder", async () => {
  const timers: ReturnType<typeof setInterval>[] = [];
  await using web = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    if (url.endsWith("wrong.loom")) return new Response("12345678");
    // A byte now and then is no silence.
    const pull = (controller: ReadableStreamDefaultController) => {
      timers.push(setInterval(() => controller.enqueue(new Uint8Array(1)), 100));
    };
    return new Response(new ReadableStream({ start: pull, cancel: () => timers.forEach(clearInterval) }));
  });
  await withFolder(async (folder) => {
    const below = `http://127.0.0.1:${web.addr.port}/`, cache = join(folder, "cache");
    const places = { folders: [], packUrls: [below], cache }, sums = ["a".repeat(64), "b".repeat(64)];
    const fetched = (name: string, sha256: string, limit?: number) => {
      const from = below + name, packOf = packFinder(places, limit === undefined ? undefined : () => limit);
      return packOf({ from, bytes: 8 + 1e6 * Number(limit !== undefined), sha256 });
    };
    await assertRejects(() => fetched("wrong.loom", sums[0]), Error, "sent other bytes");
    await assertRejects(() => fetched("slow.loom", sums[1], 1500), Error, "slow.loom: it took longer than 2 s");
    const left = await Array.fromAsync(Deno.readDir(join(cache, "packs")), ({ name }) => name);
    // What came of the second is kept for the next try.
    assertEquals(left, [sums[1]]);
  });
});

Deno.test("packFinder: a pack is fetched once, and again when it was removed", async () => {
  const bytes = new TextEncoder().encode("12345678"), sum = await sha256(bytes);
  let fetches = 0;
  await using web = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    fetches++;
    return new Response(bytes);
  });
  await withFolder(async (cache) => {
    const below = `http://127.0.0.1:${web.addr.port}/`, packOf = packFinder({ folders: [], packUrls: [below], cache });
    const find = () => packOf({ from: `${below}a.loom`, bytes: bytes.length, sha256: sum });
    const [path, same] = await Promise.all([find(), find()]);
    assertEquals([same, await find(), fetches], [path, path, 1]);
    await Deno.remove(path);
    assertEquals([await find(), await Deno.readFile(path), fetches], [path, bytes, 2]);
  });
});

Deno.test("isBelow: whatever servers and stores make of an address, it begins with the base", () => {
  const plain = ["x.loom", "a/b/x.loom", "Z%C3%BCge.loom", "two%20words.loom", "a..b.loom", ".hidden/x.loom"];
  const doors = [
    "..",
    ".",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "a%2f..",
    "..%2f..",
    "..%5c..",
    "..\\..",
    "a\\..",
    "%252e%252e",
    "",
    "a%00",
    "..\t",
    "%",
  ];
  for (const base of ["s3://bucket/packs/", "https://host/packs/", "http://127.0.0.1:8399/a/"]) {
    for (const path of plain) assert(isBelow(base + path, base), path);
    for (const door of doors) {
      for (const path of [`${door}/x.loom`, `a/${door}/${door}/other/x.loom`, `a/${door}`]) {
        assert(!isBelow(base + path, base), base + path);
      }
    }
    assert(!isBelow(base.replace("packs", "other").replace("/a/", "/b/") + "x.loom", base), base);
  }
});
