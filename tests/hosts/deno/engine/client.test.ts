/** The engine client: nobody downloads its packages who uses no engine, and it may do nothing but reach the engine. */
import { assert, assertEquals } from "@std/assert";
import configuration from "../../../../deno.json" with { type: "json" };
import { files } from "../cli.ts";

const ROOT = new URL("../../../../", import.meta.url), read = (path: string) => Deno.readTextFile(new URL(path, ROOT));
const CLIENT = "hosts/deno/engine/client.ts";

Deno.test("engine client: its packages are in its own lock file only, and no other file names them", async () => {
  const named = [...(await read(CLIENT)).matchAll(/"npm:([\w-]+)@([\d.]+)"/g)].map((
    [, name, version],
  ) => [name, version]);
  assertEquals(named.map(([name]) => name), ["bullmq", "ioredis", "pg"]);
  const own = JSON.parse(await read("hosts/deno/engine/engine.lock")), all = JSON.parse(await read("deno.lock"));
  for (const [name, version] of named) {
    assertEquals(own.specifiers[`npm:${name}@${version}`], version);
    assert(!Object.keys(all.npm).some((key) => key.startsWith(`${name}@`)), name);
    assert(!Object.values(configuration.imports).some((target) => target.startsWith(`npm:${name}@`)), name);
  }
  const folders = ["core", "priors", "plugins", "datasets", "pipelines", "hosts"];
  for (const folder of folders) {
    for (const name of await files(new URL(folder, ROOT).pathname)) {
      const path = `${folder}/${name}`;
      if (!/\.[jt]s$/.test(name) || path === CLIENT) continue;
      const text = await read(path);
      assert(!/npm:(bullmq|ioredis|pg|msgpackr)|from "(bullmq|ioredis|pg)"/.test(text), path);
      if (folder === "hosts" && name.startsWith("deno/")) assert(!/import[^;]*\/client\.ts"/.test(text), path);
    }
  }
});

Deno.test("engine client: it reads no project's file but types, and is started with the network of one host only", async () => {
  const imports = [...(await read(CLIENT)).matchAll(/^import (type )?.*?from "(.+?)"/gms)];
  assertEquals(imports.map(([, type, from]) => [type, from]), [["type ", "./messages.ts"]]);
  const starter = await read("hosts/deno/engine/engine_client.ts");
  assertEquals([...starter.matchAll(/--allow-(\w+)/g)].map(([, kind]) => kind), ["net"]);
  assert(/--no-config/.test(starter) && /--frozen/.test(starter) && /--ignore-env/.test(starter));
});
